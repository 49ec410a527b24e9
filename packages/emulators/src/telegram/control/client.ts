import { connectOperations } from '../../kit/client.ts'
import { CONTROL_OPERATIONS, type TelegramControl } from './control.ts'

/** The control interface of an emulator in another process. @param url As the emulator gave it, without a trailing slash. */
export const connectTelegramControl = (url: string): TelegramControl =>
  connectOperations<TelegramControl>(url, CONTROL_OPERATIONS)
