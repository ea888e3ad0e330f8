#include "src/engine/site_catalog.h"

#include <algorithm>

#include "abi/record_hooks.h"
#include "src/engine/region.h"

namespace heddle {
namespace {

const SiteRecord* find_in(const SiteTables& tables, std::uint32_t id) {
  auto after = tables.upper_bound(id);
  if (after == tables.begin()) return nullptr;
  const auto& [first, table] = *std::prev(after);
  return id - first < table->sites.size() ? &table->sites[id - first] : nullptr;
}

}  // namespace

void SiteCatalog::add(std::uint32_t first_site, std::shared_ptr<const SiteTable> table) {
  modules_before_[first_site] = modules_;
  modules_ += static_cast<std::uint32_t>(table->bitcode.size());
  by_first_[first_site] = std::move(table);
}

std::vector<BitcodeRecord> SiteCatalog::bitcode() const {
  std::vector<BitcodeRecord> out(modules_);
  for (const auto& [first, table] : by_first_)
    for (std::size_t at = modules_before_.at(first); const std::uint64_t hash : table->bitcode)
      out[at++] = {table->build_id, hash};
  return out;
}

void SiteCatalog::add_later(std::function<SiteTables()> record_sites) { read_record_sites_ = std::move(record_sites); }

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
  if (out.module) out.module += std::prev(modules_before_.upper_bound(id))->second;
  return out;
}

std::shared_ptr<const SiteTable> SiteCache::table(ByPath& known, const std::string& path, Reader read) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<const SiteTable>& table = known[path];
  if (!table) {
    Result<SiteTable> sites = read(path);
    table = std::make_shared<const SiteTable>(sites ? std::move(*sites) : SiteTable{});
  }
  return table;
}

// As the runtime numbers them: in order of module registration.
SiteTables SiteCache::record_sites(const std::vector<std::string>& paths) {
  SiteTables out;
  std::uint32_t first = HEDDLE_SITE_RECORD;
  for (const std::string& path : paths) {
    std::shared_ptr<const SiteTable> sites = table(record_by_path_, path, read_record_sites);
    if (sites->sites.empty()) continue;
    const auto count = static_cast<std::uint32_t>(sites->sites.size());
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
