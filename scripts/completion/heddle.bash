# bash completion for heddle
_heddle() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "cc c++ hunt record replay lift simplify explain show doctor --help --version" -- "$current"))
    return
  fi
  case $previous in
    --strategy) COMPREPLY=($(compgen -W "auto random pct pos surw racedirected rff icb dfs dpor" -- "$current")); return ;;
    --points) COMPREPLY=($(compgen -W "sync racy all" -- "$current")); return ;;
    --network) COMPREPLY=($(compgen -W "own host" -- "$current")); return ;;
    --detector) COMPREPLY=($(compgen -W "auto on off" -- "$current")); return ;;
    --fail-on-exit) COMPREPLY=($(compgen -W "any none" -- "$current")); return ;;
    --method) COMPREPLY=($(compgen -W "auto execute" -- "$current")); return ;;
    --inputs) COMPREPLY=($(compgen -W "auto real recorded" -- "$current")); return ;;
    --format) COMPREPLY=($(compgen -W "text json html perfetto" -- "$current")); return ;;
  esac
  case ${COMP_WORDS[1]} in
    hunt) COMPREPLY=($(compgen -W "--strategy --bound --points --runs --time --time-model --seed --depth --workers --max-steps --run-timeout
        --hang-timeout --detector --fail-on-exit --fail-on-output --with --cwd-copy --network --no-fork-server --simplify --keep-going --gtest --junit --sarif --bisect --build --json --quiet --help -o --output --" -- "$current")) ;;
    record) COMPREPLY=($(compgen -W "--mode --with --network --json --quiet --help -o --output --" -- "$current")) ;;
    replay) COMPREPLY=($(compgen -W "--times --hang-timeout --gdb --trust --json --quiet --help --" -- "$current")) ;;
    lift) COMPREPLY=($(compgen -W "-o --output --trust --json --quiet --help --" -- "$current")) ;;
    simplify) COMPREPLY=($(compgen -W "-o --output --exact --suffix --inputs --one-by-one --trust --json --quiet --help --" -- "$current")) ;;
    explain) COMPREPLY=($(compgen -W "--method --html --alternate --trust --json --quiet --help --" -- "$current")) ;;
    doctor) COMPREPLY=($(compgen -W "--json --quiet --help" -- "$current")) ;;
    show) COMPREPLY=($(compgen -W "--format -o --output --json --events --from --to --step --schedule --full --thread --around --source --width --wrappers --as-recorded --quiet --help" -- "$current")) ;;
  esac
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _heddle heddle
