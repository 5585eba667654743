/** Attributes of mounts (linux/mount.h, `MOUNT_ATTR_*`). */
export const mountAttributes = { readOnly: 1, noSuid: 2, noDev: 4, noExec: 8, strictTime: 0x20 } as const;
