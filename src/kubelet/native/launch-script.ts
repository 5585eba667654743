import type { ProcessSpec } from "./records.ts";
import { quote, quoteAll } from "./shell.ts";
import { toolCommand, withSessionKeyring } from "./toolbox.ts";

/** A process to start inside a container, by a shell that is already inside and still has all privileges. */
export interface Launch {
  /** The path of the toolbox inside the container. */
  readonly toolbox: string;
  readonly process: ProcessSpec;
}

/** The exit code of a container whose command could not be started, as containerd reports it. */
export const startErrorCode = 128;

/**
 * Returns shell lines that drop privileges and run the command. Descriptor 3 receives the outcome; 4 is the
 * process's own stderr.
 *
 * The container's environment is set last, by `env` as the container's user: an `LD_PRELOAD` of a Pod must
 * not reach a program that still has privileges.
 */
export function launchLines({ toolbox, process }: Launch): readonly string[] {
  const { argv, env, cwd, credentials } = process;
  const [command = ""] = argv;
  const words = [
    ...withSessionKeyring(toolbox),
    ...toolCommand(toolbox, "setpriv"),
    `--reuid=${credentials.uid}`,
    `--regid=${credentials.gid}`,
    credentials.groups.length === 0 ? "--clear-groups" : `--groups=${credentials.groups.join(",")}`,
    "--inh-caps=-all",
    "--ambient-caps=-all",
    ...(credentials.bounding === undefined
      ? []
      : [`--bounding-set=${["-all", ...credentials.bounding.map((name) => `+${name}`)].join(",")}`]),
    ...(credentials.noNewPrivileges ? ["--no-new-privs"] : []),
    "--",
    ...toolCommand(toolbox, "env"),
    "-i",
    "--", // A variable's name may begin with a dash.
    ...env,
    ...argv,
  ];
  return [
    `fail() { echo "$1" >&3; exit ${startErrorCode}; }`,
    `[ -d ${quote(cwd)} ] || fail ${quote(`chdir to cwd ("${cwd}") failed: no such file or directory`)}`,
    `cd ${quote(cwd)}`,
    // Through a link in /proc it could be a directory of the host (as in CVE-2024-21626): then it has no path
    // here.
    `case $(pwd -P) in /*) ;; *) fail "the working directory is outside of the container" ;; esac`,
    ...findCommand(command, env),
    "echo started >&3",
    "exec 2>&4 3>&- 4>&-",
    `exec ${quoteAll(words)}`,
  ];
}

/** Checks that the command exists, because after `started` an error can no longer be reported. */
function findCommand(command: string, env: readonly string[]): readonly string[] {
  const name = quote(command);
  if (command.includes("/")) {
    const stat = `fail ${quote(`exec: "${command}": stat ${command}: no such file or directory`)}`;
    const denied = `fail ${quote(`exec: "${command}": permission denied`)}`;
    return [`[ -e ${name} ] || ${stat}`, `{ [ -x ${name} ] && [ ! -d ${name} ]; } || ${denied}`];
  }
  const directories = (env.find((variable) => variable.startsWith("PATH=")) ?? "PATH=").slice(5).split(":");
  const candidates = quoteAll(directories.map((directory) => `${directory || "."}/${command}`));
  return [
    "found=",
    `for file in ${candidates}; do if [ -f "$file" ] && [ -x "$file" ]; then found=1; fi; done`,
    `[ -n "$found" ] || fail ${quote(`exec: "${command}": executable file not found in $PATH`)}`,
  ];
}
