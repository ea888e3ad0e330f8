// Entry of the plugin: registers the pass and runs its steps over one module.
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"
#include "pass/clone.h"
#include "pass/eligible.h"
#include "pass/embed.h"
#include "pass/instrument.h"
#include "pass/light.h"
#include "pass/module_ctor.h"
#include "pass/ordinals.h"
#include "pass/record_clone.h"
#include "pass/recursion.h"

namespace heddle {
namespace {

// clang reads -mllvm options before it loads pass plugins: who wants these also passes -Xclang -load -Xclang <plugin>.
llvm::cl::opt<bool> late_option("heddle-late", llvm::cl::desc("hooks after optimisation: the program as shipped"));
llvm::cl::opt<bool> stats_option("heddle-stats", llvm::cl::desc("print what the heddle pass did"));

constexpr const char* kDone = "heddle";  // module flag: LTO may run a pipeline again

std::vector<llvm::Function*> functions_to_clone(llvm::Module& module, Stats& stats) {
  Eligibility eligibility(module);
  std::vector<llvm::Function*> functions;
  for (auto& f : module) {
    if (f.isDeclaration()) continue;
    if (const char* reason = eligibility.why_not(f))
      ++stats.not_cloned[reason];
    else
      functions.push_back(&f);
  }
  stats.cloned = static_cast<unsigned>(functions.size());
  return functions;
}

struct HeddlePass : llvm::PassInfoMixin<HeddlePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (module.getModuleFlag(kDone)) return llvm::PreservedAnalyses::all();
    Stats stats;
    const auto bitcode = serialize(module);
    const Ordinals ordinals(module);
    module.addModuleFlag(llvm::Module::Max, kDone, 1);
    auto functions = functions_to_clone(module, stats);
    Sites sites(module, bitcode.hash);
    if (!functions.empty()) {
      const Wrappers wrappers(module);
      auto* active = declare_active(module);
      Hooks hooks(module);
      auto all_clones = clone_functions(functions, active);
      const auto recursive = recursive_functions(module);
      std::vector<SiteArray> site_arrays;
      for (const auto& clones : all_clones)
        site_arrays.push_back(instrument(module, active, clones, ordinals.first_of(*clones.plain),
                                         recursive.contains(clones.hooked), wrappers, hooks, sites, stats));
      keep_sited_calls_in_place(all_clones);
      make_light_clones(module, all_clones, site_arrays, stats);
      add_module_constructor(module, active);
      remember_clones(module, all_clones);
    }
    embed(module, bitcode, ordinals.count());
    stats.sites = sites.count();
    if (stats_option) stats.print(llvm::errs(), module.getSourceFileName());
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }  // also for functions marked optnone
};

// Not in the first half of link-time optimisation, which has no last passes.
struct RecordPass : llvm::PassInfoMixin<RecordPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    make_record_clones(module);
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

void register_pass(llvm::PassBuilder& builder) {
  if (late_option) {
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
      passes.addPass(HeddlePass());
      passes.addPass(RecordPass());
    });
  } else {
    builder.registerPipelineStartEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(HeddlePass()); });
    builder.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(RecordPass()); });
  }
  builder.registerPipelineParsingCallback(  // opt -passes=heddle
      [](llvm::StringRef name, llvm::ModulePassManager& passes, llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "heddle") return false;
        passes.addPass(HeddlePass());
        return true;
      });
}

}  // namespace
}  // namespace heddle

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle", "1", heddle::register_pass};
}
