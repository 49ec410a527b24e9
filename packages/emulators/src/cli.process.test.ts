import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { connectTelegramControl } from './telegram/control/client.ts'

it.each(['SIGTERM', 'SIGINT'] as const)('serves as a process, prints where, and ends at %s', async (signal) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), '--history', '5'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line]: string[] = await once(createInterface(child.stdout), 'line')
    const printed = JSON.parse(line ?? '') as { url: string; bot: { token: string; username: string } } // our own line
    expect(printed).toMatchObject({ platform: 'telegram', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
    const answer = await (await fetch(`${printed.url}/bot${printed.bot.token}/getMe`)).json()
    expect(answer).toMatchObject({ ok: true, result: { username: printed.bot.username } })
    const said = await connectTelegramControl(printed.url).say({ from: 42, text: 'hello' })
    expect(said.messageId).toBeGreaterThan(20_000_000)
    expect(said.updateId).toBe(700_000_000 + said.messageId)
    child.kill(signal)
    expect(await once(child, 'close')).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})

it('says what is wrong with its arguments', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), '--history', 'none'])
  let said = ''
  child.stderr.on('data', (data: Buffer) => void (said += data.toString()))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(said).toContain('history is a whole number from 1')
})
