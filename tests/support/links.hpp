/* Fabrics of 16 GPUs, for tests of their links and routes. */
#ifndef STEPSIM_TESTS_SUPPORT_LINKS_HPP
#define STEPSIM_TESTS_SUPPORT_LINKS_HPP

#include <array>
#include <map>
#include <memory>
#include <set>

#include "tests/support/inputs.hpp"

extern "C" {
#include "model/fabric/fabric.h"
}

namespace stepsim
{

/* 16 GPUs in 4 domains with 4 NICs each. */
inline std::string platform(const std::string &fabric, const std::string &properties = "")
{
  std::string text = perlmutter;
  replace(text, fat_tree, fabric);
  replace(text, "<!-- clusters -->", properties);
  return text;
}

inline std::string link_speed(const std::string &value)
{
  return "<prop id=\"link-speed\" value=\"" + value + "\"/>";
}

/* A fabric with its machine. */
class Links
{
public:
  Links(const std::string &fabric, const std::string &properties)
  {
    EXPECT_EQ(load_machine(platform(fabric, properties), &machine_), "accepted");
    lay_out();
  }

  /* The same with another link-speed. */
  Links(const Links &other, const std::string &speed) : machine_(other.machine_)
  {
    ss_error error = {};
    EXPECT_EQ(ss_override(("platform.link-speed=" + speed).c_str(), nullptr, &machine_, &error), SS_OK);
    lay_out();
  }

  /* A fabric with a file of routes; what reading it said is in `said`. */
  Links(const std::string &fabric, const std::string &properties, const std::string &routes)
  {
    EXPECT_EQ(load_machine(platform(fabric, properties), &machine_), "accepted");
    const std::string path = write("test.routes", routes);
    ss_error error = {};
    EXPECT_EQ(ss_override(("platform.routes=" + path).c_str(), nullptr, &machine_, &error), SS_OK);
    ss_forwarding *read = nullptr;
    said = printed(ss_routes_load(&machine_, &read, &error), error, path);
    forwarding_.reset(read);
    machine_.forwarding = read;
    lay_out();
  }

  std::string said; /* of a file of routes */

  std::string name(int64_t link) const
  {
    char text[SS_LINK_NAME_SIZE];
    ss_fabric_name(fabric_.get(), link, text);
    return text;
  }

  /* The names of the links, "none" where there is no way. */
  std::string route(int64_t from, int64_t to, bool across = true) const
  {
    std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
    const int count = ss_fabric_route(fabric_.get(), across, from, to, link.data());
    std::string text;
    for (int i = 0; i < count; ++i) text += (i > 0 ? " " : "") + name(link.at(static_cast<size_t>(i)));
    return count > 0 ? text : "none";
  }

  /* How many links have another speed than without link-speed, and the names of those. */
  std::set<std::string> slowed(double factor) const
  {
    std::set<std::string> names;
    for (int64_t link = 0; link < ss_fabric_links(fabric_.get()); ++link) {
      const bool gpu = name(link).rfind("gpu-", 0) == 0;
      const double nominal_bytes_per_s = 0.7 * (gpu ? 300e9 : 25e9);
      if (ss_fabric_bytes_per_s(fabric_.get(), link) == nominal_bytes_per_s * factor) names.insert(name(link));
    }
    return names;
  }

  /* How many pairs of NICs have a route of so many links. */
  std::map<int, int> lengths() const
  {
    std::map<int, int> pairs;
    std::array<int32_t, SS_ROUTE_LINKS_MAX> link{};
    for (int from = 0; from < 16; ++from)
      for (int to = 0; to < 16; ++to)
        if (from != to) ++pairs[ss_fabric_route(fabric_.get(), true, from, to, link.data())];
    return pairs;
  }

  std::set<std::string> names() const
  {
    std::set<std::string> all;
    for (int64_t link = 0; link < ss_fabric_links(fabric_.get()); ++link) all.insert(name(link));
    EXPECT_EQ(all.size(), static_cast<size_t>(ss_fabric_links(fabric_.get()))) << "names are not unique";
    return all;
  }

private:
  void lay_out()
  {
    ss_error error = {};
    ss_fabric *fabric = nullptr;
    EXPECT_EQ(ss_fabric_create(&fabric, &machine_, &error), SS_OK) << error.message;
    fabric_.reset(fabric);
  }
  struct Destroy {
    void operator()(ss_fabric *fabric) const
    {
      ss_fabric_destroy(fabric);
    }
  };
  struct DestroyTables {
    void operator()(ss_forwarding *forwarding) const
    {
      ss_forwarding_destroy(forwarding);
    }
  };
  ss_machine machine_{};
  std::unique_ptr<ss_forwarding, DestroyTables> forwarding_;
  std::unique_ptr<ss_fabric, Destroy> fabric_;
};

} /* namespace stepsim */

#endif
