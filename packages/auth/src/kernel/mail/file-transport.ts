import { constants } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, RandomBytes } from '../io.ts'
import type { MailTransport } from './mail.ts'
import { composeMail, loadNodemailer } from './nodemailer.ts'

/**
 * Writes each mail to a file of its own, `<time>-<random>.eml` (RFC 5322), whole or not at all. Mail holds links that
 * sign people in: the folder is made for its owner alone, and so is each file.
 * @param folder Made when it is not there.
 */
export function fileTransport(
  folder: string,
  io: { readonly clock: Clock; readonly random: RandomBytes },
): MailTransport {
  return {
    async send(message) {
      const { createTransport } = await loadNodemailer()
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message: bytes } = await composer.sendMail(composeMail(message))
      const time = new Date(io.clock.now()).toISOString().replace(/[-:.]/g, '')
      const name = `${time}-${io.random(6).toString('hex')}`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeWhole(join(folder, `.${name}`), join(folder, `${name}.eml`), Buffer.from(bytes as Uint8Array)) // `buffer: true`
    },
  }
}

async function writeWhole(draft: string, path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
    await file.close()
    await rename(draft, path)
  } catch (error) {
    await file.close()
    await rm(draft, { force: true })
    throw error
  }
}
