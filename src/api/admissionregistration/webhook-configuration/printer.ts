import type { Column } from "../../../meta/strategy.ts";
import { integer } from "../../printing.ts";
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./schema.ts";

export const webhookColumns: readonly Column<
  ValidatingWebhookConfiguration | MutatingWebhookConfiguration
>[] = [integer("Webhooks", "The number of webhooks.", ({ webhooks = [] }) => webhooks.length)];
