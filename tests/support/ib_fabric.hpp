/* InfiniBand fabrics that are fat trees, as ibnetdiscover and OpenSM print them, with all that a fabric leaves open in
 * a random order: identifiers, names, ports, and the order of switches. */
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace stepsim
{

/* A fat tree as model/fabric/fat_tree.c defines it: of its lists the first member is of hosts. With rails, so many
 * leaves that follow one another have a NIC each of the same nodes. */
struct IbTree {
  std::vector<int64_t> down, up, links;
  int64_t rails = 1;

  int64_t levels() const
  {
    return static_cast<int64_t>(down.size());
  }
  int64_t downs(int64_t level) const
  {
    return product(down, 0, level);
  }
  int64_t ups(int64_t level) const
  {
    return product(up, 0, level);
  }
  int64_t hosts() const
  {
    return downs(levels());
  }
  int64_t switches(int64_t level) const
  {
    return ups(level) * product(down, level, levels());
  }
  int64_t parent(int64_t level, int64_t number, int64_t u) const
  {
    const int64_t low = number % ups(level), high = number / ups(level);
    return low + ups(level) * (u + up.at(static_cast<size_t>(level)) * (high / down.at(static_cast<size_t>(level))));
  }
  bool is_above(int64_t level, int64_t number, int64_t host) const
  {
    return number / ups(level) == host / downs(level);
  }

private:
  static int64_t product(const std::vector<int64_t> &list, int64_t from, int64_t to)
  {
    return std::accumulate(list.begin() + from, list.begin() + to, int64_t{1}, std::multiplies<>());
  }
};

class IbFabric
{
public:
  struct Switch {
    int64_t level, number; /* in the tree */
    uint64_t guid;
    int lid;
  };
  struct Cable {
    size_t below, above; /* switches */
    int64_t u;           /* which of the switches above it leads to */
    int below_port, above_port;
    bool present = true;
  };
  struct Nic {
    size_t leaf;
    int port, lid;
    std::string node;
  };
  std::vector<Switch> at;
  std::vector<Cable> cable;
  std::vector<Nic> nic;        /* by host */
  std::string speed = "4xHDR"; /* of cables between switches; that of NICs is 4xHDR */

  IbFabric(IbTree tree, std::mt19937 &random) : tree_(std::move(tree)), random_(random)
  {
    std::vector<int> lids(2000);
    std::iota(lids.begin(), lids.end(), 1);
    std::shuffle(lids.begin(), lids.end(), random_);
    for (int64_t level = 1; level <= tree_.levels(); ++level)
      for (int64_t number = 0; number < tree_.switches(level); ++number)
        at.push_back({level, number, 0x1000 + (random_() & 0xffffffU) * 512 + at.size(), take(lids)});
    ports_.resize(at.size());
    make_ports();
    for (size_t s = 0; s < at.size(); ++s) add_cables(s);
    add_nics(lids);
    std::shuffle(cable.begin(), cable.end(), random_);
  }

  size_t find(int64_t level, int64_t number) const
  {
    size_t s = 0;
    while (at[s].level != level || at[s].number != number) ++s;
    return s;
  }

  std::string cables()
  {
    std::vector<size_t> order(at.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    std::string text = "# Topology file: generated on Mon Nov 23 2026\n";
    for (const size_t s : order) text += switch_text(s);
    return text;
  }

  /* A choice of the cable that a switch sends through: one of those up where it is not above the host, else one of
   * those down to it. */
  using Choice = std::function<size_t(size_t from, int64_t host, const std::vector<size_t> &allowed)>;

  /* Tables of all switches; what they say is kept for `way`. */
  std::string tables(const Choice &choice)
  {
    next_.clear();
    std::string text;
    for (size_t s = 0; s < at.size(); ++s) {
      text += format("Unicast lids [0-2000] of switch Lid %d guid 0x%016llx ('s'):\n", at[s].lid, at[s].guid);
      std::map<int, int> ports;
      for (int64_t host = 0; host < tree_.hosts(); ++host) ports[lid_of(host)] = port_to(s, host, choice);
      for (const auto &entry : ports) text += format("0x%04x %03llu # x\n", entry.first, entry.second);
    }
    return text;
  }

  /* The cables from a host to another one. */
  std::vector<size_t> way(int64_t from, int64_t to) const
  {
    std::vector<size_t> crossed;
    size_t s = nic_of(from).leaf;
    while (s != nic_of(to).leaf) {
      const size_t c = next_.at({s, to});
      crossed.push_back(c);
      s = cable[c].below == s ? cable[c].above : cable[c].below;
    }
    return crossed;
  }

  const IbTree &tree() const
  {
    return tree_;
  }
  const Nic &nic_of(int64_t host) const
  {
    return nic.at(static_cast<size_t>(host));
  }

private:
  IbTree tree_;
  std::mt19937 &random_;                /* borrowed */
  std::vector<std::vector<int>> ports_; /* that are free */
  std::map<std::pair<size_t, int64_t>, size_t> next_;

  template <typename Number> static std::string format(const char *form, int first, Number second)
  {
    char text[256];
    (void)std::snprintf(text, sizeof text, form, first, static_cast<unsigned long long>(second));
    return text;
  }
  static int take(std::vector<int> &list)
  {
    const int last = list.back();
    list.pop_back();
    return last;
  }
  int lid_of(int64_t host) const
  {
    return nic_of(host).lid;
  }

  void make_ports()
  {
    for (auto &ports : ports_) {
      ports.resize(120);
      std::iota(ports.begin(), ports.end(), 1);
      std::shuffle(ports.begin(), ports.end(), random_);
    }
  }

  void add_cables(size_t s)
  {
    const int64_t level = at[s].level;
    if (level == tree_.levels()) return;
    for (int64_t u = 0; u < tree_.up[static_cast<size_t>(level)]; ++u)
      for (int64_t k = 0; k < tree_.links[static_cast<size_t>(level)]; ++k) {
        const size_t above = find(level + 1, tree_.parent(level, at[s].number, u));
        const int below_port = take(ports_[s]);
        cable.push_back({s, above, u, below_port, take(ports_[above])});
      }
  }

  void add_nics(std::vector<int> &lids)
  {
    std::vector<int64_t> names(static_cast<size_t>(tree_.hosts() / tree_.rails));
    std::iota(names.begin(), names.end(), 0);
    std::shuffle(names.begin(), names.end(), random_);
    for (int64_t host = 0; host < tree_.hosts(); ++host) {
      const int64_t leaf = host / tree_.down[0], node = leaf / tree_.rails * tree_.down[0] + host % tree_.down[0];
      const size_t s = find(1, leaf);
      nic.push_back({s, take(ports_[s]), take(lids), "node" + std::to_string(names[static_cast<size_t>(node)])});
    }
  }

  std::string switch_text(size_t s) const
  {
    std::map<int, std::string> lines; /* by port, as ibnetdiscover has them */
    for (const Cable &c : cable) {
      if (!c.present) continue;
      if (c.below == s) lines[c.below_port] = port_text(c.below_port, c.above, c.above_port);
      if (c.above == s) lines[c.above_port] = port_text(c.above_port, c.below, c.below_port);
    }
    for (const Nic &n : nic)
      if (n.leaf == s)
        lines[n.port] = "[" + std::to_string(n.port) + "] \"H-" + std::to_string(n.lid) + "\"[1](9) # \"" + n.node +
                        " mlx5_0\" lid " + std::to_string(n.lid) + " 4xHDR\n";
    std::string text = format("switchguid=0x%x(%llx)\n", 1, at[s].guid);
    text += format("Switch %d \"S-%016llx\"", 120, at[s].guid) + " # \"s" + std::to_string(s) + "\" base port 0 lid " +
            std::to_string(at[s].lid) + " lmc 0\n";
    for (const auto &line : lines) text += line.second;
    return text;
  }

  std::string port_text(int port, size_t to, int to_port) const
  {
    return format("[%d] \"S-%016llx\"", port, at[to].guid) + "[" + std::to_string(to_port) + "] # \"s\" lid " +
           std::to_string(at[to].lid) + " " + speed + "\n";
  }

  int port_to(size_t s, int64_t host, const Choice &choice)
  {
    const Switch &from = at[s];
    std::vector<size_t> allowed;
    if (from.level == 1 && nic_of(host).leaf == s) return nic_of(host).port;
    const bool down = tree_.is_above(from.level, from.number, host);
    for (size_t c = 0; c < cable.size(); ++c) {
      const Switch &below = at[cable[c].below];
      if (!cable[c].present) continue;
      if (down ? cable[c].above == s && tree_.is_above(below.level, below.number, host) : cable[c].below == s)
        allowed.push_back(c);
    }
    const size_t c = choice(s, host, allowed);
    next_[{s, host}] = c;
    return down ? cable[c].above_port : cable[c].below_port;
  }
};

} // namespace stepsim
