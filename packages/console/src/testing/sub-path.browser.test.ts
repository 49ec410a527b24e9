import { startEmulator } from '@gatepost/emulators'
import { launchBrowser } from '@gatepost/emulators/browser'
import { expect, it } from 'vitest'
import { PERSON, signUp } from './console-world.ts'
import { startGatepost } from './processes.ts'
import { startProxy } from './proxy.ts'

it('works below a path prefix of a proxy, from the first link to channel events', async () => {
  await using proxy = await startProxy('/gate')
  const telegram = await startEmulator('telegram')
  await using gatepost = await startGatepost({ ...telegram.environment, GATEPOST_PUBLIC_URL: proxy.url })
  proxy.forwardTo(gatepost.url)
  const browser = await launchBrowser()
  expect(gatepost.firstLink).toContain(`${proxy.url}/accounts/`)

  const page = await signUp(browser, gatepost.firstLink, PERSON.email)
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
  await page.getByRole('main').getByRole('switch', { checked: false }).first().waitFor()
  await off.click()
  await page.getByRole('main').getByText('Running').first().waitFor()

  await page.getByRole('link', { name: 'Conversations' }).click()
  await telegram.control.say({ from: { id: '7', name: 'Milo' }, text: 'Hello below a path' })
  await page.getByText('Hello below a path').first().waitFor()

  await page.getByRole('button', { name: /Account menu for/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(`${proxy.url}/accounts/login/**`)
  await page.goto(`${proxy.url}/console/analytics`)
  await page.waitForURL(`${proxy.url}/accounts/login/?next=**`)
  await page.getByLabel('Email').fill(PERSON.email)
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${proxy.url}/console/analytics`)
  await page.getByRole('heading', { level: 1, name: 'Analytics' }).waitFor()
  expect(proxy.strayRequests.filter((path) => path !== '/favicon.ico')).toEqual([])
  await browser.close()
  await telegram.close()
})
