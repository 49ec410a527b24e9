import { AuthError } from '../../errors.ts'
import type { Clock, RandomBytes } from '../io.ts'
import { systemClock, systemRandom } from '../system.ts'
import { consoleTransport } from './console-transport.ts'
import { fileTransport } from './file-transport.ts'
import type { MailTransport } from './mail.ts'
import { type SmtpSettings, smtpTransport } from './smtp-transport.ts'

/** The settings of mail. */
export interface MailTransportSettings extends SmtpSettings {
  readonly emailBackend: 'smtp' | 'console' | 'file'
  /** Folder of `file`. */
  readonly emailFilePath: string | null
}

/** Where mail goes that no server takes. */
export interface MailTransportIo {
  /** Takes the text of a whole mail; `console`. */
  readonly write: (text: string) => void
  readonly clock?: Clock
  readonly random?: RandomBytes
}

/** How mail leaves by the settings. @throws {AuthError} `settings_invalid` when `file` has no folder */
export function createMailTransport(settings: MailTransportSettings, io: MailTransportIo): MailTransport {
  const { write, clock = systemClock, random = systemRandom } = io
  if (settings.emailBackend === 'smtp') return smtpTransport(settings)
  if (settings.emailBackend === 'console') return consoleTransport(write)
  if (settings.emailFilePath === null) {
    throw new AuthError('settings_invalid', { message: 'EMAIL_FILE_PATH must name the folder of the mails.' })
  }
  return fileTransport(settings.emailFilePath, { clock, random })
}
