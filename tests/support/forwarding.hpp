/* Forwarding tables of a machine, without a file of them. */
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/support/inputs.hpp"

extern "C" {
#include "model/fabric/fabric.h"
}

namespace stepsim
{

/* Tables that a machine borrows. */
class Forwarding
{
public:
  explicit Forwarding(const ss_machine &machine) : tables_(ss_forwarding_create())
  {
    EXPECT_EQ(ss_fabric_create(&fabric_, &machine, nullptr), SS_OK);
  }
  ~Forwarding()
  {
    ss_fabric_destroy(fabric_);
    ss_forwarding_destroy(tables_);
  }
  Forwarding(const Forwarding &) = delete;
  Forwarding &operator=(const Forwarding &) = delete;

  /* What is for a NIC takes a cable. */
  void add(const std::string &cable, int64_t nic)
  {
    const int64_t link = ss_fabric_cable(fabric_, cable.c_str());
    ASSERT_GE(link, 0) << cable;
    ASSERT_EQ(ss_fabric_forward(fabric_, link, nic, 0, tables_), SS_OK);
  }

  /* Of a tree of two levels: the port through which a leaf sends what is for a NIC of another leaf. */
  void add_ups(const ss_fat_tree &tree, const std::function<int64_t(int64_t leaf, int64_t nic)> &port)
  {
    for (int64_t leaf = 0; leaf < tree.down[1]; ++leaf)
      for (int64_t nic = 0; nic < tree.down[0] * tree.down[1]; ++nic)
        if (nic / tree.down[0] != leaf)
          add("leaf-" + std::to_string(leaf) + ":" + std::to_string(port(leaf, nic)), nic);
  }

  /* And the one to it through which each switch above sends what is for it. */
  void add_downs(const ss_fat_tree &tree, const std::function<int64_t(int64_t top, int64_t nic)> &cable)
  {
    for (int64_t top = 0; top < tree.up[1]; ++top)
      for (int64_t nic = 0; nic < tree.down[0] * tree.down[1]; ++nic)
        add("leaf-" + std::to_string(nic / tree.down[0]) + ":" + std::to_string(top + tree.up[1] * cable(top, nic)),
            nic);
  }

  /* The tables, sorted. */
  const ss_forwarding *sorted()
  {
    EXPECT_EQ(ss_forwarding_sort(tables_), nullptr);
    return tables_;
  }

private:
  ss_fabric *fabric_ = nullptr;
  ss_forwarding *tables_;
};

} // namespace stepsim
