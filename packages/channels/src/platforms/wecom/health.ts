import { perBot } from '../wire/per-bot.ts'

/** What the connection of one bot has met in this process, for whoever diagnoses it. Milliseconds since the Unix epoch. */
export interface Health {
  /** The last answer to a subscription; `null`: there was none yet. */
  subscribed: { readonly atMs: number; readonly errcode: number; readonly errmsg: string } | null
  /** The last sign of life on a connection. */
  provedAtMs: number | null
  takenOverAtMs: number | null
  isConnected: boolean
}

/** Of one bot, by its id. */
export const healthOf = perBot<Health>(() => ({
  subscribed: null,
  provedAtMs: null,
  takenOverAtMs: null,
  isConnected: false,
}))
