import type { ApiResponse } from "../../meta/exchange.ts";
import type { Start } from "../../streams/accept.ts";
import type { Context } from "../context.ts";
import type { Target } from "../resources/target.ts";

/** Connects an upgraded request elsewhere, or returns an answer without an upgrade. */
export type AcceptUpgrade = (context: Context, target: Target) => Promise<Start | ApiResponse>;
