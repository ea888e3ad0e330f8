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
#include "src/result/result.h"
#include "src/trace/trace.h"

namespace heddle {

using SiteTable = std::shared_ptr<const std::vector<SiteRecord>>;

class SiteCatalog {
 public:
  /// nullptr: no such static site.
  const SiteRecord* find(std::uint32_t id) const;
  /// The record with its run-time id set; nullopt as above.
  std::optional<SiteRecord> record(std::uint32_t id) const;
  void add(std::uint32_t first_site, SiteTable sites);
  /// Sites of record clones (abi/record_hooks.h) are read when the first of them is asked for: only replays of
  /// recordings have some.
  void add_later(std::function<std::map<std::uint32_t, SiteTable>()> record_sites);

 private:
  std::map<std::uint32_t, SiteTable> by_first_;
  mutable std::function<std::map<std::uint32_t, SiteTable>()> read_record_sites_;
  mutable std::map<std::uint32_t, SiteTable> record_sites_;
};

/// Site tables by file, read once. Thread-safe; shared by all workers of a hunt, and outlives its catalogs.
class SiteCache {
 public:
  /// A module that cannot be read (deleted, not ours) simply has no sites.
  SiteCatalog catalog(const std::vector<HeddleModuleInfo>& modules);

 private:
  using Reader = Result<std::vector<SiteRecord>> (*)(const std::filesystem::path&);
  SiteTable table(std::map<std::string, SiteTable>& known, const std::string& path, Reader read);
  std::map<std::uint32_t, SiteTable> record_sites(const std::vector<std::string>& paths);

  std::mutex mutex_;
  std::map<std::string, SiteTable> by_path_, record_by_path_;
};

}  // namespace heddle
