import { expect } from 'vitest'
import type { GatewayProcess } from './crash/gateway-process.ts'

/** The link in the newest mail on the console to this address with this in its subject, once there is one. */
export async function mailedLink(
  { log }: Pick<GatewayProcess, 'log'>,
  mail: { readonly to: string; readonly subject: string },
): Promise<string> {
  const find = (): string | undefined => {
    const at = log.findLastIndex(
      (line, index) =>
        line.startsWith('Subject: ') && line.includes(mail.subject) && log[index - 1] === `To: ${mail.to}`,
    )
    return at < 0 ? undefined : log.slice(at).find((line) => line.startsWith('http'))
  }
  await expect.poll(find, { timeout: 20_000 }).toBeDefined()
  return find() ?? ''
}
