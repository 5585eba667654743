import {
  int64,
  json,
  list,
  messages,
  optional,
  type Out,
  pointer,
  required,
  string,
  stringOf,
} from "../../../meta/schema.ts";
import type { Action, Architecture, Flag, Operator } from "./profile.ts";

/**
 * The JSON form of a profile: `linux.seccomp` of the runtime specification, with the additions of Docker's form
 * (moby/profiles `seccomp.Seccomp`). Decoding does not check names: `validation.ts` does. The field numbers are arbitrary,
 * because profiles have no protobuf form.
 */
const message = messages("specs");

const Argument = message("LinuxSeccompArg", "A comparison of one argument.", {
  index: optional(1, int64, "The argument, from 0."),
  value: pointer(2, json, "The value, 64 bits without sign."),
  valueTwo: pointer(3, json, "The second value, of SCMP_CMP_MASKED_EQ."),
  op: required(4, stringOf<Operator>(), "The operator."),
});
export type ArgumentJson = Out<typeof Argument>;

const Filter = message("Filter", "Conditions of a rule, in Docker's form.", {
  caps: optional(1, list(string), "Capabilities of the container."),
  arches: optional(2, list(string), "Architectures of the machine."),
  minKernel: optional(3, string, "The least version of the kernel, such as 4.8."),
});
export type FilterJson = Out<typeof Filter>;

const Syscall = message("LinuxSyscall", "A rule for some system calls.", {
  name: optional(1, string, "The system call, in Docker's old form."),
  names: optional(2, list(string), "The system calls."),
  action: required(3, stringOf<Action>(), "The action."),
  errnoRet: pointer(4, int64, "The errno that the action returns."),
  args: optional(5, list(Argument), "Conditions on the arguments."),
  includes: pointer(6, Filter, "Conditions that must hold."),
  excludes: pointer(7, Filter, "Conditions that must not hold."),
});
export type SyscallJson = Out<typeof Syscall>;

const ArchitectureEntryJson = message("Architecture", "An architecture with others that its kernel serves.", {
  architecture: required(1, stringOf<Architecture>(), "The machine's architecture."),
  subArchitectures: optional(2, list(stringOf<Architecture>()), "The other architectures."),
});
export type ArchitectureEntryJson = Out<typeof ArchitectureEntryJson>;

export const ProfileJson = message("LinuxSeccomp", "A seccomp profile.", {
  defaultAction: required(1, stringOf<Action>(), "The action for calls without a rule."),
  defaultErrnoRet: pointer(2, int64, "The errno that the default action returns."),
  architectures: optional(3, list(stringOf<Architecture>()), "The architectures that calls may use."),
  archMap: optional(4, list(ArchitectureEntryJson), "The architectures in Docker's form."),
  flags: pointer(5, list(stringOf<Flag>()), "The flags of seccomp(2)."),
  listenerPath: optional(6, string, "The socket of a seccomp agent."),
  syscalls: optional(7, list(Syscall), "The rules."),
});
export type ProfileJson = Out<typeof ProfileJson>;
