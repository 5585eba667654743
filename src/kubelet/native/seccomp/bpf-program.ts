/**
 * Assembles a classic BPF program from its end to its beginning, so that the target of every jump is already placed:
 * BPF only jumps forward. A conditional jump reaches 255 instructions; a farther target is reached by a jump, or by
 * a copy of the return, directly behind the conditional one.
 */

/** The kernel's limit (`BPF_MAXINSNS`). */
export const maxInstructions = 4096;

/** Bytes of a `struct sock_filter`. */
const instructionBytes = 8;
const farthest = 255;

/** Codes of the instructions (linux/bpf_common.h). */
export const opcodes = {
  /** Loads the 32-bit word at an offset of `struct seccomp_data` into the accumulator. */
  load: 0x20,
  and: 0x54,
  jump: 0x05,
  jumpEqual: 0x15,
  jumpGreater: 0x25,
  jumpGreaterOrEqual: 0x35,
  return: 0x06,
} as const;

/** Thrown when a program is larger than the kernel takes. */
export class ProgramTooLargeError extends Error {
  override readonly name = "ProgramTooLargeError";
}

interface Instruction {
  readonly code: number;
  readonly k: number;
  /** Instructions that are skipped when a conditional jump is taken, and when it is not. */
  readonly taken: number;
  readonly notTaken: number;
}

/** A place to continue at: an instruction, counted from the end of the program, or the return of a value. */
export type Target = { readonly place: number } | { readonly value: number };

export class BpfProgram {
  /** Reversed: the last instruction of the program is the first here. */
  readonly #instructions: Instruction[] = [];
  /** The first of the returns of each value. */
  readonly #returns = new Map<number, number>();
  /** The first of the jumps to each place. */
  readonly #jumps = new Map<number, number>();

  get length(): number {
    return this.#instructions.length;
  }

  /** Adds a comparison of the accumulator with `k` in front of the program. */
  compare(
    code: "jumpEqual" | "jumpGreater" | "jumpGreaterOrEqual",
    k: number,
    yes: Target,
    no: Target,
  ): Target {
    // The far target of one side can push the other side out of reach, but then the first one is near.
    for (let before = -1; before !== this.length;) {
      before = this.length;
      this.#bring(no);
      this.#bring(yes);
    }
    const taken = this.#distance(yes);
    const notTaken = this.#distance(no);
    return this.#add({ code: opcodes[code], k, taken, notTaken });
  }

  /** Adds an AND of the accumulator with `mask` in front of the comparison that was added last. */
  and(mask: number): Target {
    return this.#add({ code: opcodes.and, k: mask, taken: 0, notTaken: 0 });
  }

  /** Adds a load of a word in front of the instruction that was added last. */
  load(offset: number): Target {
    return this.#add({ code: opcodes.load, k: offset, taken: 0, notTaken: 0 });
  }

  /** Makes the target the beginning of the program, and returns the program as `struct sock_filter`s. */
  startingAt(target: Target): Uint8Array {
    if ("value" in target) this.#add({ code: opcodes.return, k: target.value, taken: 0, notTaken: 0 });
    else if (target.place !== this.length) this.#addJump(target.place);
    const bytes = new DataView(new ArrayBuffer(this.length * instructionBytes));
    for (const [i, { code, k, taken, notTaken }] of this.#instructions.toReversed().entries()) {
      bytes.setUint16(i * instructionBytes, code, true);
      bytes.setUint8(i * instructionBytes + 2, taken);
      bytes.setUint8(i * instructionBytes + 3, notTaken);
      bytes.setUint32(i * instructionBytes + 4, k, true);
    }
    return new Uint8Array(bytes.buffer);
  }

  /** Returns the place of the new instruction. */
  #add(instruction: Instruction): { readonly place: number } {
    if (this.length === maxInstructions)
      throw new ProgramTooLargeError(`the filter has more than ${maxInstructions} instructions`);
    this.#instructions.push(instruction);
    return { place: this.length };
  }

  #addJump(place: number): void {
    const { place: jump } = this.#add({
      code: opcodes.jump,
      k: this.length - place,
      taken: 0,
      notTaken: 0,
    });
    this.#jumps.set(place, jump);
  }

  /** Adds a way to the target unless the next instruction reaches it. */
  #bring(target: Target): void {
    if (this.#distance(target) <= farthest) return;
    if ("place" in target) this.#addJump(target.place);
    else {
      const { place } = this.#add({ code: opcodes.return, k: target.value, taken: 0, notTaken: 0 });
      this.#returns.set(target.value, place);
    }
  }

  /** The number of instructions between the next one and the nearest way to the target. */
  #distance(target: Target): number {
    if ("value" in target) return this.length - (this.#returns.get(target.value) ?? -Infinity);
    const direct = this.length - target.place;
    return direct <= farthest ? direct : this.length - (this.#jumps.get(target.place) ?? -Infinity);
  }
}
