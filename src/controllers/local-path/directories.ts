/** The directories of local volumes on the nodes of this process. */
export interface LocalDirectories {
  /** Returns false while the nodes of this process are not known yet. */
  isReady(): boolean;
  /** Returns the directory that holds the volumes of a node; undefined for a node of another process. */
  rootOf(node: string): string | undefined;
  /** Makes a volume's directory, if it is missing. */
  make(node: string, volume: string): Promise<void>;
  /** Removes a volume's directory with everything below, if it exists. */
  remove(node: string, volume: string): Promise<void>;
}
