import type { Column } from "../../../meta/strategy.ts";
import { integer } from "../../printing.ts";
import type { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "./schema.ts";

export const webhookColumns: readonly Column<
  ValidatingWebhookConfiguration | MutatingWebhookConfiguration
>[] = [integer("Webhooks", "How many webhooks there are.", ({ webhooks = [] }) => webhooks.length)];
