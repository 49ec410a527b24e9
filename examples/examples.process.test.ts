import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'

const ADA = { email: 'ada@example.org', password1: 'a made-up pass phrase' }

interface Running {
  readonly process: ChildProcess
  readonly origin: string
  /** What it has said so far, mail too. */
  said(): string
  /** Resolves when it has said what `pattern` matches. */
  says(pattern: RegExp): Promise<RegExpExecArray>
}

const folders: string[] = []
const running: Running[] = []
afterEach(async () => {
  for (const { process } of running.splice(0)) {
    if (process.exitCode !== null || process.signalCode !== null) continue
    process.kill('SIGKILL')
    await once(process, 'exit')
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function start(example: string, folder: string): Promise<Running> {
  const args = [join(import.meta.dirname, example, 'server.ts'), '--port', '0', '--folder', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  let heard = (): void => {}
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      heard()
    })
  }
  child.once('exit', () => heard())
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(said)
      if (found !== null) return found
      if (child.exitCode !== null) throw new Error(`it has ended: ${said}`)
      await new Promise<void>((resolve) => (heard = resolve))
    }
  }
  const [, origin = ''] = await says(/^(http:\/\/127\.0\.0\.1:\d+)\/ /m)
  const started = { process: child, origin, said: () => said, says }
  running.push(started)
  return started
}

/** A browser that keeps cookies, sends forms and follows redirects. */
function browser(origin: string): {
  get(path: string): Promise<{ readonly status: number; readonly text: string; readonly path: string }>
  post(path: string, fields: Readonly<Record<string, string>>): ReturnType<ReturnType<typeof browser>['get']>
} {
  const cookies = new Map<string, string>()
  const visit: (path: string, init: RequestInit) => ReturnType<ReturnType<typeof browser>['get']> = async (
    path,
    init,
  ) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(new URL(path, origin), { ...init, headers: { cookie }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location !== null) return visit(location, {})
    return { status: answer.status, text: await answer.text(), path }
  }
  return {
    get: (path) => visit(path, {}),
    async post(path, fields) {
      const page = await visit(path, {})
      const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      return visit(path, { method: 'POST', body: new URLSearchParams({ ...fields, csrfmiddlewaretoken }) })
    },
  }
}

describe.each(['hono', 'express', 'fastify'])('the example for %s', (example) => {
  it('signs people up, verifies them, and signs them out and in; over a restart too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'example-'))
    folders.push(folder)
    const first = await start(example, folder)
    const ada = browser(first.origin)
    expect((await ada.get('/')).text).toContain('Hello stranger')
    expect((await ada.get('/api/me')).status).toBe(401)
    expect((await ada.get('/members/')).path).toBe('/accounts/login/?next=/members/')
    const welcome = await ada.post('/accounts/signup/?next=/members/', ADA)
    expect([welcome.path, welcome.text]).toEqual(['/members/', expect.stringContaining('Welcome, ada')])
    expect(JSON.parse((await ada.get('/api/me')).text)).toEqual({ username: 'ada', email: 'ada@example.org' })
    expect((await ada.get('/verified/')).text).toContain('Verify your email address')
    const [, link = ''] = await first.says(/http:\/\/127\.0\.0\.1:\d+(\/accounts\/confirm-email\/\S+)/)
    await ada.post(link, {})
    expect((await ada.get('/verified/')).text).toContain('ada@example.org is verified')
    expect((await ada.post('/accounts/logout/', {})).text).toContain('Hello stranger')
    const back = await ada.post('/accounts/login/', { login: ADA.email, password: ADA.password1 })
    expect(back.text).toContain('Welcome, ada')
    first.process.kill('SIGTERM')
    expect(await once(first.process, 'exit')).toEqual([0, null])
    const second = await start(example, folder)
    const again = browser(second.origin)
    await again.post('/accounts/login/', { login: ADA.email, password: ADA.password1 })
    expect((await again.get('/verified/')).text).toContain('ada@example.org is verified')
  })
})
