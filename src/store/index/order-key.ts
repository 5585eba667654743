/**
 * Returns a form of the key that JavaScript's string comparison sorts by the key's UTF-8 bytes, which is the
 * order of code points. JavaScript compares UTF-16 units, and the two orders differ only where a surrogate is
 * compared with a unit from U+E000 up. An order key moves surrogates above those units. Nearly every key is
 * its own order key.
 */
export function orderKey(key: string): string {
  return moved.test(key) ? rotate(key) : key;
}

const moved = /[\ud800-\uffff]/;

function rotate(key: string): string {
  let rotated = "";
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    if (unit < 0xd800) rotated += key[i];
    else rotated += String.fromCharCode(unit < 0xe000 ? unit + 0x2000 : unit - 0x800);
  }
  return rotated;
}

/** Returns the least string greater than this one. */
export function successor(order: string): string {
  return `${order}\0`;
}

/** Returns the least string greater than every string with this prefix; undefined when there is none. */
export function prefixEnd(prefix: string): string | undefined {
  for (let length = prefix.length; length > 0; length--) {
    const last = prefix.charCodeAt(length - 1);
    if (last < 0xffff) return prefix.slice(0, length - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}
