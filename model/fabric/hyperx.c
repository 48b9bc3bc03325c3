/* The HyperX in two dimensions (Ahn et al., "HyperX: topology, routing, and packaging of efficient large-scale
 * networks", SC'09): switches in a grid, each linked to all others of its row and of its column.
 *
 * It has the switches and cables of a dragonfly of one group whose chassis are the rows, but not its routes: there, as
 * in SimGrid, a route that changes the place in a chassis continues from the first chassis, wherever it is
 * (model/fabric/dragonfly.c). In a grid of several rows it would load cables that are not on its way, and miss others.
 * So this is a topology of its own, which SimGrid lacks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/base/number.h"
#include "model/fabric/counts.h"
#include "model/fabric/topology_methods.h"

/* Cables between switches. */
enum {
  LINK_CLASS_ROW = SS_LINK_CLASS_HOST + 1, /* nodes are the rows, ports the pairs of their switches */
  LINK_CLASS_COLUMN                        /* nodes are the columns, ports the pairs of their switches */
};

/* Parameters. */

static bool read(const ss_number_lists *lists, ss_shape *shape)
{
  const ss_number_list *list = lists->list;
  shape->as.hyperx =
      (ss_hyperx){.rows = list[0].at[0], .columns = list[0].at[1], .links = list[1].at[0], .nodes = list[2].at[0]};
  return lists->count == 3 && list[0].count == 2 && list[1].count == 1 && list[2].count == 1;
}

static int64_t hosts(const ss_shape *shape)
{
  const ss_hyperx *grid = &shape->as.hyperx;
  return ss_count_product(ss_count_product(grid->rows, grid->columns), grid->nodes);
}

/* Pairs of switches with a cable: of the others, half of those in the row and in the column of each. */
static double pairs(const ss_hyperx *grid)
{
  return 0.5 * (double)grid->rows * (double)grid->columns * (double)(grid->rows + grid->columns - 2);
}

static double links(const ss_shape *shape)
{
  return (double)hosts(shape) + pairs(&shape->as.hyperx);
}

static void print(const ss_shape *shape, ss_sentence *text)
{
  const ss_hyperx *grid = &shape->as.hyperx;
  ss_sentence_say(text, "%" PRId64 ",%" PRId64 ";%" PRId64 ";%" PRId64, grid->rows, grid->columns, grid->links,
                  grid->nodes);
}

/* Links. */

/* Names: switch-3:to-5 is the link from one switch to another, switch-5:to-3 the one back. Switches are numbered row by
 * row. */
static void lay_out(ss_fabric *fabric)
{
  const ss_hyperx *grid = &fabric->machine->shape.as.hyperx;
  ss_link_class link_class = ss_link_class_of_fabric(fabric->machine);
  link_class.nodes = fabric->hosts;
  link_class.of_nics = true;
  ss_link_class_add(fabric, link_class);
  link_class.of_nics = false;
  link_class.ported = link_class.between = true;
  link_class.out = link_class.in = "to";
  (void)snprintf(link_class.word, sizeof link_class.word, "switch");
  link_class.bytes_per_s *= (double)grid->links;
  link_class.nodes = grid->rows;
  link_class.ports = grid->columns * (grid->columns - 1) / 2;
  ss_link_class_add(fabric, link_class);
  link_class.nodes = grid->columns;
  link_class.ports = grid->rows * (grid->rows - 1) / 2;
  ss_link_class_add(fabric, link_class);
}

static void count(const ss_shape *shape, int64_t switch_ports, ss_fabric_parts *parts)
{
  const ss_hyperx *grid = &shape->as.hyperx;
  const int64_t rows = grid->rows * (grid->columns * (grid->columns - 1) / 2);
  const int64_t columns = grid->columns * (grid->rows * (grid->rows - 1) / 2);
  (void)switch_ports;
  ss_fabric_parts_add_nics(parts, parts->nics, grid->rows * grid->columns);
  ss_fabric_parts_add(parts, "in rows", rows * grid->links, 0);
  ss_fabric_parts_add(parts, "in columns", columns * grid->links, 0);
}

static int64_t link_between(const ss_fabric *fabric, int64_t from, int64_t to)
{
  const ss_hyperx *grid = &fabric->machine->shape.as.hyperx;
  const int64_t low = from < to ? from : to, high = from < to ? to : from;
  const int64_t row[2] = {low / grid->columns, high / grid->columns};
  const int64_t column[2] = {low % grid->columns, high % grid->columns};
  if (low == high) return -1;
  if (row[0] == row[1])
    return ss_link_class_link(&fabric->link_class[LINK_CLASS_ROW], row[0],
                              ss_count_pair(grid->columns, column[0], column[1]), to < from);
  if (column[0] == column[1])
    return ss_link_class_link(&fabric->link_class[LINK_CLASS_COLUMN], column[0],
                              ss_count_pair(grid->rows, row[0], row[1]), to < from);
  return -1;
}

static void ends(const ss_fabric *fabric, const ss_link_class *link_class, int64_t cable, int64_t end[2])
{
  const ss_hyperx *grid = &fabric->machine->shape.as.hyperx;
  const int64_t node = cable / link_class->ports, port = cable % link_class->ports;
  const bool in_row = link_class == &fabric->link_class[LINK_CLASS_ROW];
  int64_t pair[2];
  ss_count_split_pair(in_row ? grid->columns : grid->rows, port, pair);
  for (int i = 0; i < 2; ++i) end[i] = in_row ? node * grid->columns + pair[i] : pair[i] * grid->columns + node;
}

/* Dimension by dimension: along the row, then along the column. */
static void route(ss_link_route *r)
{
  const ss_hyperx *grid = &r->fabric->machine->shape.as.hyperx;
  const ss_link_class *host = &r->fabric->link_class[SS_LINK_CLASS_HOST];
  const int64_t from = r->from / grid->nodes, to = r->to / grid->nodes;
  const int64_t corner = from / grid->columns * grid->columns + to % grid->columns;
  ss_link_route_push(r, ss_link_class_link(host, r->from, 0, false));
  if (from != corner) ss_link_route_push(r, link_between(r->fabric, from, corner));
  if (corner != to) ss_link_route_push(r, link_between(r->fabric, corner, to));
  ss_link_route_push(r, ss_link_class_link(host, r->to, 0, true));
}

static int64_t hosts_of_router(const ss_shape *shape)
{
  return shape->as.hyperx.nodes;
}

static int64_t degree(const ss_shape *shape)
{
  return shape->as.hyperx.rows + shape->as.hyperx.columns;
}

static int64_t neighbour(const ss_fabric *fabric, int64_t router, int64_t i, int64_t *link)
{
  const ss_hyperx *grid = &fabric->machine->shape.as.hyperx;
  const int64_t row = router / grid->columns, column = router % grid->columns;
  const int64_t there = i < grid->columns ? row * grid->columns + i : (i - grid->columns) * grid->columns + column;
  *link = link_between(fabric, router, there);
  return *link >= 0 ? there : -1;
}

static const ss_router_methods routers = {
    .hosts = hosts_of_router, .degree = degree, .neighbour = neighbour, .link = link_between, .ends = ends};

const ss_topology_methods ss_hyperx_topology = {
    .noun = "HyperX",
    .form = "ROWS,COLUMNS;LINKS;NODES, such as 2,4;1;2 for 16 hosts",
    .read = read,
    .hosts = hosts,
    .links = links,
    .print = print,
    .lay_out = lay_out,
    .route = route,
    .count = count,
    .routers = &routers,
};

/* The fabric that is generated. */

/* Switches have a quarter of their ports for NICs, as routers of a dragonfly do. */
#define NIC_SHARE 4

/* The grid that holds the NICs and is as square as can be, with the links that evenly spread traffic fills. A switch
 * with T NICs sends T / columns to each column, over one cable. There, the switch of each row passes on what its whole
 * row sends to another switch, columns T / (rows columns) = T / rows, over one cable. */
static void choose(int64_t per_switch, ss_topology_design *design)
{
  const int64_t needed = ss_divide_up(design->nics, per_switch);
  int64_t columns = 1;
  while (columns * columns < needed) ++columns;
  const int64_t rows = ss_divide_up(needed, columns), shorter = rows > 1 ? rows : columns;
  design->shape.as.hyperx = (ss_hyperx){.rows = rows,
                                        .columns = columns,
                                        .links = columns > 1 ? ss_divide_up(per_switch, shorter) : 1,
                                        .nodes = per_switch};
}

static int64_t ports(const ss_hyperx *grid)
{
  return grid->nodes + (grid->rows + grid->columns - 2) * grid->links;
}

/* As many NICs per switch as its ports allow, from a share of them down. */
static void fit(int64_t given_leaf, ss_topology_design *design)
{
  const ss_hyperx *grid = &design->shape.as.hyperx;
  const int64_t share = design->radix / NIC_SHARE > 1 ? design->radix / NIC_SHARE : 1;
  const int64_t most = given_leaf != 0 ? given_leaf : design->nics < share ? design->nics : share;
  choose(most, design);
  for (int64_t leaf = most; given_leaf == 0 && leaf > 0 && ports(grid) > design->radix; --leaf) choose(leaf, design);
  if (ports(grid) > design->radix) choose(most, design);
}

static ss_status generate(const ss_topology_request *request, ss_topology_design *design, ss_error *error)
{
  const int64_t given_leaf = request->size[SS_DESIGN_LEAF];
  const char *option = given_leaf != 0 ? "--leaf" : "--gpus";
  const ss_hyperx *grid = &design->shape.as.hyperx;
  fit(given_leaf, design);
  design->hosts = hosts(&design->shape);
  design->taper = 0;
  if (ports(grid) > design->radix)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "%" PRId64 " NICs on %" PRId64 " x %" PRId64 " switches need %" PRId64
                        " ports per switch, of %" PRId64 "; allowed: fewer NICs, another --leaf, or a larger --radix",
                        design->nics, grid->rows, grid->columns, ports(grid), design->radix);
  if (design->hosts > SS_CLUSTER_HOSTS || links(&design->shape) > SS_CLUSTER_LINKS)
    return ss_error_set(error, SS_ERROR_INPUT, option, 0,
                        "needs room for %" PRId64 " NICs and %.0f links; allowed: at most %d and %d", design->hosts,
                        links(&design->shape), SS_CLUSTER_HOSTS, SS_CLUSTER_LINKS);
  return SS_OK;
}

static void describe(const ss_topology_design *design, ss_sentence *text)
{
  const ss_hyperx *grid = &design->shape.as.hyperx;
  const int64_t switches = grid->rows * grid->columns;
  ss_sentence_say(text, "HyperX of %" PRId64 " x %" PRId64 " switch%s, %" PRId64 " NIC%s at each: %" PRId64 " switch%s",
                  grid->rows, grid->columns, switches > 1 ? "es" : "", grid->nodes, ss_count_plural(grid->nodes),
                  switches, switches > 1 ? "es" : "");
  if (switches > 1)
    ss_sentence_say(text, " with %.0f links, %" PRId64 " between two of a row or a column",
                    pairs(grid) * (double)grid->links, grid->links);
  ss_sentence_say(text, ".");
}

/* Ahn et al.: the narrowest cut halves the shorter dimension, of S switches: K S / (2 T). Where S is odd, the links of
 * each switch of the smaller half lead to (S + 1) / 2 others. */
static double bisection(const ss_topology_design *design)
{
  const ss_hyperx *grid = &design->shape.as.hyperx;
  const int64_t less = grid->rows < grid->columns ? grid->rows : grid->columns;
  const int64_t shorter = less > 1 ? less : grid->rows * grid->columns;
  if (shorter == 1) return 1.0;
  return fmin(1.0, ceil(0.5 * (double)shorter) * (double)grid->links / (double)grid->nodes);
}

const ss_fabric_methods ss_hyperx_fabric = {
    .topology = SS_TOPOLOGY_HYPERX,
    .takes = SS_TAKES(RADIX) | SS_TAKES(LEAF),
    .generate = generate,
    .describe = describe,
    .bisection = bisection,
};
