#include "src/engine/site_catalog.h"

#include <algorithm>

#include "src/engine/region.h"
#include "src/program/program.h"

namespace heddle {

void SiteCatalog::add(std::uint32_t first_site, std::shared_ptr<const std::vector<SiteRecord>> sites) {
  by_first_[first_site] = std::move(sites);
}

const SiteRecord* SiteCatalog::find(std::uint32_t id) const {
  if (id == 0 || (id & HEDDLE_SITE_PC)) return nullptr;
  auto after = by_first_.upper_bound(id);
  if (after == by_first_.begin()) return nullptr;
  const auto& [first, sites] = *std::prev(after);
  return id - first < sites->size() ? &(*sites)[id - first] : nullptr;
}

std::optional<SiteRecord> SiteCatalog::record(std::uint32_t id) const {
  const SiteRecord* site = find(id);
  if (!site) return std::nullopt;
  SiteRecord out = *site;
  out.id = id;
  return out;
}

SiteCatalog SiteCache::catalog(const std::vector<HeddleModuleInfo>& modules) {
  SiteCatalog out;
  std::lock_guard lock(mutex_);
  for (const HeddleModuleInfo& module : modules) {
    std::string path = bounded_string(module.path, sizeof module.path);
    auto& sites = by_path_[path];
    if (!sites) {
      Result<std::vector<SiteRecord>> read = read_sites(path);
      sites = std::make_shared<const std::vector<SiteRecord>>(read ? std::move(*read) : std::vector<SiteRecord>{});
    }
    out.add(module.first_site, sites);
  }
  return out;
}

}  // namespace heddle
