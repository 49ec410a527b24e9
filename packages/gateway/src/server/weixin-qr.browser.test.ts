import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import decodeQR from 'qr/decode.js'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmulator } from '@gatepost/emulators'
import { readConfig } from '../config/config.ts'
import { startGateway } from '../serve.ts'
import { type TestServer, testServer } from '../testing/test-server.ts'

let server: TestServer
let browser: TestBrowser
beforeAll(async () => {
  server = await testServer()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await server[Symbol.asyncDispose]()
})

/** Runs in the browser: the compiler knows no DOM here. */
const pixels = (base64: string): string => `(async () => {
  const blob = await (await fetch('data:image/png;base64,${base64}')).blob()
  const bitmap = await createImageBitmap(blob)
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  context.drawImage(bitmap, 0, 0)
  const { width, height, data } = context.getImageData(0, 0, bitmap.width, bitmap.height)
  return { width, height, data: [...data] }
})()`

/** The pixels of a PNG image, as a camera would hand them over. */
async function readPixels(png: Buffer): Promise<{ width: number; height: number; data: Uint8Array }> {
  const page = await browser.open('about:blank')
  const image = await page.evaluate<{ width: number; height: number; data: number[] }>(pixels(png.toString('base64')))
  return { ...image, data: Uint8Array.from(image.data) }
}

describe('the page of a Weixin code', () => {
  it.each([
    ['light', 1000],
    ['dark', 390],
  ] as const)('can be scanned in %s at %i px', async (theme, width) => {
    const url = 'https://liteapp.weixin.qq.com/q/made-up?bot_type=3'
    const page = await browser.open(`${server.url}/weixin-qr.html?${new URLSearchParams({ url }).toString()}`, {
      theme,
      width,
    })
    const png = await page.locator('.code').screenshot()
    expect(decodeQR(await readPixels(png))).toBe(url)
  })
})

it('follows a log-in from the code to the connection, and another one to its end', async () => {
  await using undo = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'gatepost-code-'))
  undo.defer(() => rm(root, { recursive: true }))
  const weixin = await startEmulator('weixin')
  undo.defer(() => weixin.close())
  const config = readConfig({ ...weixin.environment, GATEPOST_DATA_DIR: join(root, 'data'), GATEPOST_PORT: '0' })
  const gateway = await startGateway(config, { sink: { write: () => {}, flush: () => {}, close: () => {} } })
  undo.defer(() => gateway.stop())
  const open = async (): Promise<Awaited<ReturnType<TestBrowser['open']>>> => {
    const how = { kind: 'qr', fields: {} } as const
    const { url = '' } = await gateway.channels.setups.start({ accountId: 'owner' }, 'weixin', how)
    const since = String(Math.floor(Date.now() / 1_000))
    return browser.open(`${gateway.url}/weixin-qr.html?${new URLSearchParams({ url, since }).toString()}`)
  }
  const page = await open()
  await page.getByRole('status').getByText('Waiting for the scan').waitFor()
  await weixin.control.scan({ act: 'scan' })
  await page.getByText('now confirm on the phone').waitFor()
  await weixin.control.scan({ act: 'confirm' })
  await page.getByText('Connected. You can close this page.').waitFor()
  const late = await open()
  await weixin.control.scan({ act: 'expire' })
  await late.getByText('Ask for a new').waitFor()
  expect(await late.getByRole('status').textContent()).toContain('expired')
})
