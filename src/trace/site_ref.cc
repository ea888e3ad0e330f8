#include "src/trace/trace.h"

namespace heddle {

std::optional<SiteRef> site_ref(const TraceHead& head, const SiteRecord& site) {
  if (site.ordinal == 0 || site.module == 0 || site.module > head.bitcode.size()) return std::nullopt;
  const BitcodeRecord& module = head.bitcode[site.module - 1];
  return SiteRef{module.build_id, module.hash, site.ordinal};
}

}  // namespace heddle
