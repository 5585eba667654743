/**
 * Binds each Pod's link to the Pod's addresses: what arrives from it with another source is dropped before the
 * bridge sees it. So a container with CAP_NET_RAW cannot send as its neighbour or as the node. The rules are
 * in a table of the family `netdev`, with a chain at the ingress of each link.
 */

/** Returns the hardware address of a Pod, which is derived from its address. */
export function hardwareAddress(address: string): string {
  return ["0a:58", ...bytesOf(address)].join(":");
}

/** Returns a transaction that creates the table; it keeps an existing one. */
export function tableScript(table: string): string {
  return `add table netdev ${table}`;
}

/** Returns a transaction that removes the table, whether or not it exists. */
export function removalScript(table: string): string {
  return `add table netdev ${table}\ndelete table netdev ${table}`;
}

/** Returns a transaction that binds a link, which exists, to a Pod's address. */
export function bindScript(table: string, link: string, address: string): string {
  const mac = hardwareAddress(address);
  const hex = (bytes: readonly string[]) => `0x${bytes.join("")}`;
  // ARP's senders are compared as bytes, because the kernel accepts a second hardware type, which nft's own
  // expressions do not match.
  const senderMac = `@nh,64,48 != ${hex(mac.split(":"))}`;
  const senderAddress = `@nh,112,32 != ${hex(bytesOf(address))}`;
  return [
    `add table netdev ${table}`,
    `add chain netdev ${table} ${link} { type filter hook ingress device "${link}" priority 0; }`,
    `flush chain netdev ${table} ${link}`,
    ...[
      `ether saddr != ${mac} drop`,
      `ip saddr != ${address} drop`,
      `meta protocol arp ${senderMac} drop`,
      `meta protocol arp ${senderAddress} drop`,
    ].map((rule) => `add rule netdev ${table} ${link} ${rule}`),
  ].join("\n");
}

/** Returns a transaction that removes a link's rules; some kernels remove them with the link. */
export function releaseScript(table: string, link: string): string {
  return `flush chain netdev ${table} ${link}\ndelete chain netdev ${table} ${link}`;
}

/** Two hexadecimal digits for each byte. */
function bytesOf(address: string): readonly string[] {
  return address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"));
}
