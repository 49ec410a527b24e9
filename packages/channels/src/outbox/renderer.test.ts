import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { PLATFORM_IDS } from '../platform-names.ts'
import { platforms } from '../platforms/registry.ts'
import { previewMessage, renderText } from './plan.ts'
import { createRenderer, type Renderer } from './renderer.ts'

const LONG = '**bold** [a link](https://example.org/x) `code` and _more_ text\n\n- one\n- two\n\n'.repeat(1_250) // 100,000

function open(): Renderer {
  const renderer = createRenderer()
  onTestFinished(() => renderer.close())
  return renderer
}

it.each(PLATFORM_IDS)('renders a long text for %s as it renders a short one', async (id) => {
  const renderer = open()
  const text = LONG.slice(0, 9_000)
  expect(await renderer.render(text, platforms[id], `ada/${id}/1`)).toEqual(renderText(text, platforms[id]))
  expect(await renderer.preview(text, platforms[id], 'ada')).toEqual(previewMessage(text, platforms[id]))
})

it('lets everything else go on while a long text is rendered', async () => {
  const renderer = open()
  let isDone = false
  let turns = 0
  const rendering = renderer.preview(LONG, platforms.telegram, 'ada').finally(() => (isDone = true))
  while (!isDone) {
    turns += 1
    await nextTurn()
  }
  expect((await rendering).length).toBeGreaterThan(10)
  expect(turns).toBeGreaterThan(20)
})

it('lets accounts take turns', async () => {
  const renderer = open()
  const order: string[] = []
  const ask = async (account: string): Promise<void> => {
    await renderer.preview(LONG.slice(0, 5_000), platforms.telegram, account)
    order.push(account)
  }
  await Promise.all([...Array.from({ length: 8 }, () => ask('ada')), ask('ben')])
  expect(order.indexOf('ben')).toBeLessThanOrEqual(2)
})

it('loses no text when the thread ends', async () => {
  const renderer = open()
  const rendering = renderer.render(LONG, platforms.discord, 'ada/discord/1')
  await nextTurn()
  renderer.close()
  expect(await rendering).toEqual(renderText(LONG, platforms.discord))
  expect(await renderer.render(LONG, platforms.discord, 'ada/discord/1')).toEqual(renderText(LONG, platforms.discord))
})
