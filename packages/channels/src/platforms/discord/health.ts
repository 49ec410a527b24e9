import { perBot } from '../wire/per-bot.ts'

/** How the socket of a bot is, as far as this process knows. */
export interface SocketHealth {
  /** READY or RESUMED has come. */
  isReady: boolean
  /** When anything came last, milliseconds since the Unix epoch. */
  heardAtMs: number
  /** Of the socket before this one. */
  lastClose: number | null
}

/** Of one bot, by its id. In memory only, for the doctor of the same process. */
export const healthOf = perBot<SocketHealth>(() => ({ isReady: false, heardAtMs: 0, lastClose: null }))
