import { startEmulator } from '@gatepost/emulators'
import { launchBrowser } from '@gatepost/emulators/browser'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { PERSON, signUp } from './console-world.ts'
import { startGatepost } from './gatepost-process.ts'

/** A proxy that shows a service below `/gate/` and nothing elsewhere, and takes that away on the way in. */
interface SubPathProxy extends AsyncDisposable {
  /** Where the service is for browsers. */
  readonly url: string
  lead(to: string): void
  /** What was asked for outside of the path. */
  readonly strays: readonly string[]
}

async function subPathProxy(): Promise<SubPathProxy> {
  let target = 0
  const strays: string[] = []
  const server = createServer((asked, answer) => {
    const { method, url = '', headers } = asked
    if (!url.startsWith('/gate/')) {
      strays.push(url)
      return answer.writeHead(404).end()
    }
    const sent = request({ method, port: target, path: url.slice('/gate'.length), headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers)
      got.pipe(answer)
    })
    answer.on('close', () => sent.destroy())
    sent.on('error', () => answer.destroy())
    asked.pipe(sent)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  return {
    url: `http://127.0.0.1:${port}/gate`,
    lead: (to) => (target = Number(new URL(to).port)),
    strays,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('works below a path that a proxy adds: from the first link to what happens on a channel', async () => {
  await using proxy = await subPathProxy()
  const telegram = await startEmulator('telegram')
  await using gatepost = await startGatepost({ ...telegram.environment, GATEPOST_PUBLIC_URL: proxy.url })
  proxy.lead(gatepost.url)
  const browser = await launchBrowser()
  expect(gatepost.firstLink).toContain(`${proxy.url}/accounts/`)

  const page = await signUp(browser, gatepost.firstLink ?? '', PERSON.email)
  await page.waitForURL(`${proxy.url}/console/welcome`)
  await page.getByRole('link', { name: 'Channels' }).click()
  await page.waitForURL(`${proxy.url}/console/channels`)
  const { credentials } = await telegram.control.bot()
  await gatepost.call('POST', '/api/channels/telegram', credentials)
  await page.getByRole('main').getByText('Running').first().waitFor()

  await page.goto(`${proxy.url}/console/channels/telegram`)
  const off = page.getByRole('main').getByRole('switch').first()
  await off.click()
  await expect.poll(() => gatepost.call('GET', '/api/channels/telegram')).toMatchObject({ enabled: false })
  await page.reload()
  await expect.poll(() => off.getAttribute('aria-checked')).toBe('false')
  await off.click()
  await page.getByRole('main').getByText('Running').first().waitFor()

  await page.getByRole('link', { name: 'Conversations' }).click()
  await telegram.control.say({ from: { id: '7', name: 'Milo' }, text: 'Hello below a path' })
  await page.getByText('Hello below a path').first().waitFor()

  await page.getByRole('button', { name: /Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(`${proxy.url}/accounts/login/**`)
  await page.goto(`${proxy.url}/console/figures`)
  await page.waitForURL(`${proxy.url}/accounts/login/?next=**`)
  await page.getByLabel('E-mail').fill(PERSON.email)
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${proxy.url}/console/figures`)
  await page.getByRole('heading', { level: 1, name: 'Figures' }).waitFor()
  expect(proxy.strays.filter((path) => path !== '/favicon.ico')).toEqual([])
  await browser.close()
  await telegram.close()
})
