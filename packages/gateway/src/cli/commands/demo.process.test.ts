import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { demo } from './demo.ts'
import { type Io, processIo } from '../io.ts'

const ARGS = {
  platform: undefined,
  port: undefined,
  connected: true,
  keep: false,
  open: false,
  json: false,
  untilInputEnds: false,
}

/** A person who ends the demo as soon as it has said where everything is and they have `looked`. */
function reader(
  refused: string,
  looked: (printed: string) => Promise<void> = async () => undefined,
): { readonly io: Io; readonly out: () => string } {
  let out = ''
  const leaving = new AbortController()
  const write = (text: string): void => {
    out += text
    void looked(text).finally(() => leaving.abort())
  }
  const output = { isTty: false, colour: false, columns: Number.POSITIVE_INFINITY }
  const io: Io = {
    ...processIo(leaving.signal),
    env: { GATEPOST_LOG_LEVEL: 'error' },
    out: { ...output, write },
    err: { ...output, write: () => undefined },
    fetch: async (input, init) =>
      init?.method === 'POST' && new Request(input).url.endsWith(`/api/channels/${refused}`)
        ? Response.json({ ok: false, error: 'The token is not valid.', code: 'credentials_rejected' }, { status: 422 })
        : fetch(input, init),
  }
  return { io, out: () => out }
}

describe('demo', () => {
  it('names the pages and what to try, and tells which platform does not come up and why', async () => {
    const { io, out } = reader('discord')
    expect(await demo.run(ARGS, io)).toBe(0)
    for (const label of ['Feishu', 'WeCom', 'Weixin', 'Telegram', 'DingTalk'])
      expect(out()).toMatch(new RegExp(`^  ${label} +http://127\\.0\\.0\\.1:\\d+/demo$`, 'm'))
    expect(out()).toMatch(/^ {2}Discord +not running: The token is not valid\.$/m)
    for (const command of ['status', 'doctor', 'send feishu "Hello from the terminal"', 'setup weixin'])
      expect(out()).toContain(`     npx gatepost ${command}\n`)
    expect(out()).toMatch(
      /Open this in your browser and send the bot a message:\n\n {5}http:\/\/127\.0\.0\.1:\d+\/demo\/[\w-]{43}\n/,
    )
    expect(existsSync(/^ {2}Data +(\S+)/m.exec(out())?.[1] ?? '.')).toBe(false)
  })

  it('starts the one that is named, by an alias too, and signs in without ending a session at a service beside it', async () => {
    let entered: Response | undefined
    const { io, out } = reader('nothing', async (printed) => {
      const { enter } = JSON.parse(printed) as { readonly enter: string } // our own output
      entered = await fetch(enter, { redirect: 'manual' })
    })
    expect(await demo.run({ ...ARGS, platform: 'lark', json: true }, io)).toBe(0)
    expect(JSON.parse(out())).toMatchObject({ ok: true, platforms: [{ platform: 'feishu', running: true }] })
    expect([entered?.status, entered?.headers.get('location')]).toEqual([302, '/console/demo'])
    // a browser keeps one cookie of a name for all ports of this machine
    const names = entered?.headers.getSetCookie().map((cookie) => cookie.split('=')[0])
    expect(names).toContain('gatepost_demo')
    expect(names).not.toContain('sessionid')
  })

  it('does not start when nothing comes up, or for a platform that does not exist', async () => {
    const { io, out } = reader('telegram')
    const alone = demo.run({ ...ARGS, platform: 'telegram' }, io)
    await expect(alone).rejects.toMatchObject({ code: 'start_failed', message: 'The token is not valid.' })
    await expect(demo.run({ ...ARGS, platform: 'fax' }, io)).rejects.toMatchObject({ code: 'usage' })
    expect(out()).toBe('')
  })
})
