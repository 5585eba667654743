/** A device in the cluster. */
export interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** The device as a text, as upstream prints it. Unambiguous, because only a pool's name may have slashes. */
export const deviceKey = ({ driver, pool, device }: DeviceId): string => `${driver}/${pool}/${device}`;

/** The pool as a text, as upstream prints it. */
export const poolKey = ({ driver, pool }: Omit<DeviceId, "device">): string => `${driver}/${pool}`;
