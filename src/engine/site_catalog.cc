#include "src/engine/site_catalog.h"

#include <algorithm>

#include "abi/record_hooks.h"
#include "src/engine/region.h"
#include "src/program/program.h"

namespace heddle {
namespace {

const SiteRecord* find_in(const std::map<std::uint32_t, SiteTable>& tables, std::uint32_t id) {
  auto after = tables.upper_bound(id);
  if (after == tables.begin()) return nullptr;
  const auto& [first, sites] = *std::prev(after);
  return id - first < sites->size() ? &(*sites)[id - first] : nullptr;
}

}  // namespace

void SiteCatalog::add(std::uint32_t first_site, SiteTable sites) { by_first_[first_site] = std::move(sites); }

void SiteCatalog::add_later(std::function<std::map<std::uint32_t, SiteTable>()> record_sites) {
  read_record_sites_ = std::move(record_sites);
}

const SiteRecord* SiteCatalog::find(std::uint32_t id) const {
  if (id == 0 || (id & HEDDLE_SITE_PC)) return nullptr;
  if (!(id & HEDDLE_SITE_RECORD)) return find_in(by_first_, id);
  if (read_record_sites_) record_sites_ = read_record_sites_(), read_record_sites_ = nullptr;
  return find_in(record_sites_, id);
}

std::optional<SiteRecord> SiteCatalog::record(std::uint32_t id) const {
  const SiteRecord* site = find(id);
  if (!site) return std::nullopt;
  SiteRecord out = *site;
  out.id = id;
  return out;
}

SiteTable SiteCache::table(std::map<std::string, SiteTable>& known, const std::string& path, Reader read) {
  std::lock_guard lock(mutex_);
  SiteTable& table = known[path];
  if (!table) {
    Result<std::vector<SiteRecord>> sites = read(path);
    table = std::make_shared<const std::vector<SiteRecord>>(sites ? std::move(*sites) : std::vector<SiteRecord>{});
  }
  return table;
}

// As the runtime numbers them: in order of module registration.
std::map<std::uint32_t, SiteTable> SiteCache::record_sites(const std::vector<std::string>& paths) {
  std::map<std::uint32_t, SiteTable> out;
  std::uint32_t first = HEDDLE_SITE_RECORD;
  for (const std::string& path : paths) {
    SiteTable sites = table(record_by_path_, path, read_record_sites);
    if (sites->empty()) continue;
    const auto count = static_cast<std::uint32_t>(sites->size());
    out[first] = std::move(sites);
    first += count;
  }
  return out;
}

SiteCatalog SiteCache::catalog(const std::vector<HeddleModuleInfo>& modules) {
  SiteCatalog out;
  std::vector<std::string> paths;
  for (const HeddleModuleInfo& module : modules) {
    paths.push_back(bounded_string(module.path, sizeof module.path));
    out.add(module.first_site, table(by_path_, paths.back(), read_sites));
  }
  out.add_later([this, paths] { return record_sites(paths); });
  return out;
}

}  // namespace heddle
