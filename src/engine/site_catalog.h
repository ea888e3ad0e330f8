// Static site ids of one run to descriptors: ids are given out per module at run time, descriptors lie in the ELF
// files.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abi/region.h"
#include "src/program/program.h"
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

/// Tables by the id of their first site.
using SiteTables = std::map<std::uint32_t, std::shared_ptr<const SiteTable>>;

class SiteCatalog {
 public:
  /// nullptr: no such static site.
  const SiteRecord* find(std::uint32_t id) const;
  /// The record with its run-time id set, and `module` as in bitcode(); nullopt as above.
  std::optional<SiteRecord> record(std::uint32_t id) const;
  /// The modules of all tables that were added.
  std::vector<BitcodeRecord> bitcode() const;
  void add(std::uint32_t first_site, std::shared_ptr<const SiteTable> table);
  /// Sites of record clones (abi/record_hooks.h) are read when the first of them is asked for: only replays of
  /// recordings have some.
  void add_later(std::function<SiteTables()> record_sites);

 private:
  SiteTables by_first_;
  std::map<std::uint32_t, std::uint32_t> modules_before_;  // by first site: in bitcode()
  std::uint32_t modules_ = 0;
  mutable std::function<SiteTables()> read_record_sites_;
  mutable SiteTables record_sites_;
};

/// Site tables by file, read once. Thread-safe; shared by all workers of a hunt, and outlives its catalogs.
class SiteCache {
 public:
  /// A module that cannot be read (deleted, not ours) simply has no sites.
  SiteCatalog catalog(const std::vector<HeddleModuleInfo>& modules);

 private:
  using Reader = Result<SiteTable> (*)(const std::filesystem::path&);
  using ByPath = std::map<std::string, std::shared_ptr<const SiteTable>>;
  std::shared_ptr<const SiteTable> table(ByPath& known, const std::string& path, Reader read);
  SiteTables record_sites(const std::vector<std::string>& paths);

  std::mutex mutex_;
  ByPath by_path_, record_by_path_;
};

}  // namespace heddle
