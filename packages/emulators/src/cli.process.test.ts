import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { EMULATED_PLATFORMS } from './family.ts'
import { connectControl } from './kit/control.ts'
import { connectTelegramControl } from './telegram/control/over-http.ts'

it.each(['SIGTERM', 'SIGINT'] as const)('prints its address and stops at %s', async (signal) => {
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

it('rejects invalid arguments', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), '--history', 'none'])
  let printed = ''
  child.stderr.on('data', (data: Buffer) => void (printed += data.toString()))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(printed).toContain('--history must be an integer of at least 1')
})

interface Printed {
  readonly platform: string
  readonly url: string
  readonly page: string
  readonly control: string
  readonly environment: object
}

it('starts all six, prints a line for each and links their pages', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), 'all'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines: Printed[] = []
    for await (const line of createInterface(child.stdout)) {
      lines.push(JSON.parse(line) as Printed) // our own line
      if (lines.length === 6) break
    }
    expect(lines.map(({ platform }) => platform)).toEqual([...EMULATED_PLATFORMS])
    const family = lines.map(({ platform, page }) => ({ platform, label: expect.any(String), url: page }))
    for (const { url, page, control, environment } of lines) {
      expect(await (await fetch(page)).text()).toContain('id="siblings"')
      expect(await (await fetch(`${page}/siblings.json`)).json()).toEqual(family)
      expect(Object.keys(environment).every((name) => /^GATEPOST_[A-Z]+_[A-Z]+_URL$/.test(name))).toBe(true)
      const shared = connectControl(url, new URL(control).pathname)
      const { chatId } = await shared.say({ from: { id: 'ann', name: 'Ann' }, text: 'hello' })
      expect(await shared.conversation({ chatId })).toMatchObject([{ by: 'person', name: 'Ann', text: 'hello' }])
    }
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})

it.each([
  ['an unknown platform', ['slack'], 'Unknown platform: slack. Use "all" or any of: feishu'],
  ['a port out of range', ['all', '--port', '70000'], '--port must be an integer'],
])('rejects %s', async (_why, args, words) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...args])
  let printed = ''
  child.stderr.on('data', (data: Buffer) => void (printed += data.toString()))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(printed).toContain(words)
})
