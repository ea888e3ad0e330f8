#include "src/engine/trace_builder.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(StackAddresses, AnIdIsAWordOffsetPlusOne) {
  std::vector<std::uint64_t> words{2, 100, 200, 1, 300};
  EXPECT_EQ(stack_addresses(words, 1), (std::vector<std::uint64_t>{100, 200}));
  EXPECT_EQ(stack_addresses(words, 4), (std::vector<std::uint64_t>{300}));
}

TEST(StackAddresses, WhatMakesNoSenseIsEmpty) {
  std::vector<std::uint64_t> words{2, 100, 200, 7, 300};
  EXPECT_TRUE(stack_addresses(words, 0).empty());
  EXPECT_TRUE(stack_addresses(words, 4).empty()) << "longer than the area";
  EXPECT_TRUE(stack_addresses(words, 6).empty()) << "behind the area";
  EXPECT_TRUE(stack_addresses({}, 1).empty());
  words[0] = ~0ull;
  EXPECT_TRUE(stack_addresses(words, 1).empty());
}

TEST(SiteCatalog, IdsAreFoundInTheModuleThatHoldsThem) {
  auto sites = [](std::initializer_list<const char*> names) {
    auto out = std::make_shared<SiteTable>();
    for (const char* name : names) out->sites.emplace_back().function = name;
    return out;
  };
  SiteCatalog catalog;
  catalog.add(1, sites({"a", "b"}));
  catalog.add(10, sites({"c"}));
  EXPECT_EQ(catalog.find(2)->function, "b");
  EXPECT_EQ(catalog.record(10)->function, "c");
  EXPECT_EQ(catalog.record(10)->id, 10u);
  for (std::uint32_t id : {0u, 3u, 9u, 11u, HEDDLE_SITE_PC | 1u}) EXPECT_EQ(catalog.find(id), nullptr) << id;
}

TEST(SiteCatalog, ModulesOfAllFilesAreNumberedTogether) {
  const auto table = [](std::string build_id, std::vector<std::uint64_t> bitcode, std::vector<std::uint32_t> modules) {
    auto out = std::make_shared<SiteTable>();
    out->build_id = std::move(build_id);
    out->bitcode = std::move(bitcode);
    for (const std::uint32_t module : modules) out->sites.emplace_back().module = module;
    return out;
  };
  SiteCatalog catalog;
  catalog.add(1, table("program", {10, 20}, {0, 1, 2}));
  catalog.add(4, table("library", {10}, {0, 1}));
  EXPECT_EQ(catalog.bitcode(), (std::vector<BitcodeRecord>{{"program", 10}, {"program", 20}, {"library", 10}}));
  EXPECT_EQ(catalog.record(1)->module, 0u);
  EXPECT_EQ(catalog.record(3)->module, 2u);
  EXPECT_EQ(catalog.record(5)->module, 3u);
}

}  // namespace
}  // namespace heddle
