import type { Store } from "../../store/store.ts";

export type Planted = Store;
