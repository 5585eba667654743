/** Access to a device: kind, major and minor number; `undefined` stands for all minors. */
type Device = readonly [major: number, minor: number | undefined];

/** The character devices of a container's `/dev` and terminals. */
export const allowedDevices: readonly Device[] = [
  [1, 3],
  [1, 5],
  [1, 7],
  [1, 8],
  [1, 9],
  [5, 0],
  [5, 1],
  [5, 2],
  [136, undefined],
];

/** `BPF_DEVCG_*` of linux/bpf.h. */
const charDevice = 2;
const mknod = 1;

/** Codes of eBPF instructions (linux/bpf_common.h). */
const codes = { load: 0x61, and: 0x57, shift: 0x77, ifNot: 0x55, move: 0xb7, exit: 0x95 } as const;

/**
 * Returns the program that forbids a cgroup all but harmless devices, as instructions in hexadecimal digits
 * (`BPF_PROG_TYPE_CGROUP_DEVICE`). Creating nodes is allowed, because it gives no access by itself.
 */
export function deviceGuard(devices: readonly Device[] = allowedDevices): string {
  const allow = [instruction(codes.move, 0, 1), instruction(codes.exit)];
  const rules = devices.flatMap(([major, minor]) =>
    minor === undefined
      ? [instruction(codes.ifNot, 4, major, 2), ...allow]
      : [instruction(codes.ifNot, 4, major, 3), instruction(codes.ifNot, 5, minor, 2), ...allow],
  );
  return [
    load(2, 0), // The kind and, above it, the access.
    load(3, 0),
    load(4, 4),
    load(5, 8),
    instruction(codes.and, 2, 0xffff),
    instruction(codes.shift, 3, 16),
    instruction(codes.ifNot, 3, mknod, 2),
    ...allow,
    instruction(codes.ifNot, 2, charDevice, rules.length),
    ...rules,
    instruction(codes.move, 0, 0),
    instruction(codes.exit),
  ].join("");
}

/** Loads a word of the request, which register 1 points to. */
function load(register: number, offset: number): string {
  return instruction(codes.load, register | (1 << 4), 0, offset);
}

/** A `struct bpf_insn`. */
function instruction(code: number, registers = 0, value = 0, offset = 0): string {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt8(code, 0);
  bytes.writeUInt8(registers, 1);
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(value, 4);
  return bytes.toString("hex");
}
