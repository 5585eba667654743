/**
 * A program of its own that runs another with a new session keyring: `session-keyring <program> <arguments>`.
 *
 * A session keyring is inherited across fork, exec and a change of user (session-keyring(7)), and no namespace
 * separates keyrings: without this, all containers and the host's services that Knarr descends from could read and
 * change each other's keys. Neither Node nor util-linux can make one, so the program is written here, in machine code.
 *
 * In C:
 *
 *     long end = keyctl(KEYCTL_JOIN_SESSION_KEYRING, NULL);
 *     if (end < 0 && end != -ENOSYS) _exit(125);  // A kernel without keyrings has none to share.
 *     execve(argv[1], argv + 1, environ);
 *     _exit(127);
 */
const x64 = bytes(`
  b8fa000000       mov eax, 250            keyctl
  bf01000000       mov edi, 1              KEYCTL_JOIN_SESSION_KEYRING
  31f6             xor esi, esi            no name: a new one
  0f05             syscall
  4885c0           test rax, rax
  790d             jns run
  4883f8da         cmp rax, -38            ENOSYS
  7407             je run
  bf7d000000       mov edi, 125
  eb1f             jmp exit
  488b0c24    run: mov rcx, [rsp]          argc
  488b7c2410       mov rdi, [rsp+16]       argv[1]
  488d742410       lea rsi, [rsp+16]       argv + 1
  488d54cc10       lea rdx, [rsp+rcx*8+16] environ
  b83b000000       mov eax, 59             execve
  0f05             syscall
  bf7f000000       mov edi, 127
  b83c000000 exit: mov eax, 60             exit
  0f05             syscall
`);

const arm64 = bytes(`
  681b80d2         mov x8, 219             keyctl
  e00340b2         mov x0, 1               KEYCTL_JOIN_SESSION_KEYRING
  e1031faa         mov x1, xzr             no name: a new one
  010000d4         svc 0
  a000f8b6         tbz x0, 63, run         not negative
  1f9800b1         cmn x0, 38              ENOSYS
  60000054         b.eq run
  a00f80d2         mov x0, 125
  09000014         b exit
  e30340f9    run: ldr x3, [sp]            argc
  e00b40f9         ldr x0, [sp, 16]        argv[1]
  e1430091         add x1, sp, 16          argv + 1
  e26f238b         add x2, sp, x3, lsl 3
  42400091         add x2, x2, 16          environ
  a81b80d2         mov x8, 221             execve
  010000d4         svc 0
  e01b40b2         mov x0, 127
  a80b80d2   exit: mov x8, 93              exit
  010000d4         svc 0
`);

/** Returns the bytes in the first column of a listing. */
function bytes(listing: string): Buffer {
  return Buffer.from([...listing.matchAll(/^ {2}([0-9a-f]+)/gm)].map(([, column]) => column).join(""), "hex");
}

/** By architecture, with its `e_machine` (elf(5)). */
const programs: ReadonlyMap<string, { readonly machine: number; readonly text: Buffer }> = new Map([
  ["x64", { machine: 62, text: x64 }],
  ["arm64", { machine: 183, text: arm64 }],
]);
const headerBytes = 64;
const segmentBytes = 56;
const address = 0x400000;
/** The largest page size of both architectures. */
const alignment = 0x10000;

/**
 * Returns the program as an ELF file: a header, one readable and executable segment, and the code; undefined
 * on other architectures.
 */
export function sessionKeyringProgram(architecture: string = process.arch): Buffer | undefined {
  const program = programs.get(architecture);
  if (program === undefined) return undefined;
  const { machine, text } = program;
  const start = headerBytes + segmentBytes;
  const file = Buffer.alloc(start + text.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]); // ELF, 64 bits, little endian, version 1
  file.writeUInt16LE(2, 16); // e_type: ET_EXEC
  file.writeUInt16LE(machine, 18);
  file.writeUInt32LE(1, 20); // e_version
  file.writeBigUInt64LE(BigInt(address + start), 24); // e_entry
  file.writeBigUInt64LE(BigInt(headerBytes), 32); // e_phoff
  file.writeUInt16LE(headerBytes, 52);
  file.writeUInt16LE(segmentBytes, 54);
  file.writeUInt16LE(1, 56); // e_phnum
  file.writeUInt32LE(1, headerBytes); // p_type: PT_LOAD
  file.writeUInt32LE(5, headerBytes + 4); // p_flags: read and execute
  file.writeBigUInt64LE(BigInt(address), headerBytes + 16); // p_vaddr, of the file's beginning
  file.writeBigUInt64LE(BigInt(address), headerBytes + 24);
  file.writeBigUInt64LE(BigInt(file.length), headerBytes + 32); // p_filesz
  file.writeBigUInt64LE(BigInt(file.length), headerBytes + 40); // p_memsz
  file.writeBigUInt64LE(BigInt(alignment), headerBytes + 48);
  file.set(text, start);
  return file;
}
