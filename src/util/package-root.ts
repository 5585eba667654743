/**
 * The package's own folder, with a trailing slash. This file is two folders deep in src, dist and the bundle.
 */
export const packageRoot = new URL("../../", import.meta.url);
