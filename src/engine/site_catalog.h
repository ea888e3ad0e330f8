// Static site ids of one run to descriptors: ids are given out per module at run time, descriptors lie in the ELF
// files.
#pragma once
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

class SiteCatalog {
 public:
  /// nullptr: no such static site.
  const SiteRecord* find(std::uint32_t id) const;
  /// The record with its run-time id set; nullopt as above.
  std::optional<SiteRecord> record(std::uint32_t id) const;
  void add(std::uint32_t first_site, std::shared_ptr<const std::vector<SiteRecord>> sites);

 private:
  std::map<std::uint32_t, std::shared_ptr<const std::vector<SiteRecord>>> by_first_;
};

/// Site tables by file, read once. Thread-safe; shared by all workers of a hunt.
class SiteCache {
 public:
  /// A module that cannot be read (deleted, not ours) simply has no sites.
  SiteCatalog catalog(const std::vector<HeddleModuleInfo>& modules);

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const std::vector<SiteRecord>>> by_path_;
};

}  // namespace heddle
