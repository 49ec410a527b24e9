import { Api, Bot, GrammyError, HttpError, InputFile } from 'grammy'
import { expect, it } from 'vitest'
import { DEFAULT_BOT } from './bots.ts'
import { openBench } from './wire-client.ts'

/** The library as it is, pointed here: what an update of it changes is noticed. */
const createApi = (url: string): Api => new Api(DEFAULT_BOT.token, { apiRoot: url })

it('speaks getMe, getUpdates and sendMessage', async () => {
  await using bench = await openBench()
  const api = createApi(bench.url)
  expect(await api.getMe()).toMatchObject({ is_bot: true, username: DEFAULT_BOT.username })
  await bench.control.say({ from: 42, text: 'hello' })
  expect(await api.getUpdates({ timeout: 1, allowed_updates: ['message'] })).toMatchObject([
    { message: { text: 'hello' } },
  ])
  expect(await api.sendMessage(42, '<b>hi</b>', { parse_mode: 'HTML' })).toMatchObject({ text: 'hi' })
})

it('uploads a file as a multipart form', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  const bytes = new TextEncoder().encode('content')
  const message = await createApi(bench.url).sendDocument(42, new InputFile(bytes, 'a.txt'), { caption: 'c' })
  expect(message).toMatchObject({ caption: 'c', document: { file_name: 'a.txt', file_size: 7 } })
})

it('gives API errors with code, description and parameters', async () => {
  await using bench = await openBench()
  await bench.control.injectFault({ kind: 'rate_limited', retryAfter: 7 })
  const error = await createApi(bench.url)
    .sendMessage(42, 'x')
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(GrammyError)
  expect(error).toMatchObject({
    error_code: 429,
    description: 'Too Many Requests: retry after 7',
    parameters: { retry_after: 7 },
  })
})

it('gives an HttpError for a proxy page, a lost connection and an abort', async () => {
  await using bench = await openBench()
  const api = createApi(bench.url)
  await bench.control.injectFault({ kind: 'bad_gateway' })
  await expect(api.getMe()).rejects.toBeInstanceOf(HttpError)
  await bench.control.injectFault({ kind: 'drop_before' })
  await expect(api.getMe()).rejects.toBeInstanceOf(HttpError)
  await bench.control.injectFault({ kind: 'hang' })
  const giveUp = new AbortController()
  const hanging = api.getMe(giveUp.signal as never) // its own signal type
  while ((await bench.control.faults()).length > 0) await new Promise((resolve) => setImmediate(resolve))
  giveUp.abort()
  await expect(hanging).rejects.toBeInstanceOf(HttpError)
})

it('puts the token into the cause of an HttpError', async () => {
  const bench = await openBench()
  await bench.close()
  const error = await createApi(bench.url)
    .getMe()
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(HttpError)
  expect(String(error instanceof HttpError ? error.error : '')).toContain(DEFAULT_BOT.token)
})

it('starts a Bot with getMe, deleteWebhook and offset 1, and confirms the last update when it stops', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, text: 'hello' })
  const bot = new Bot(DEFAULT_BOT.token, { client: { apiRoot: bench.url } })
  const handled = new Promise<void>((resolve) => {
    bot.on('message', () => {
      resolve()
      // Still at work when the bot stops: the update is confirmed nevertheless.
      return new Promise(() => undefined)
    })
  })
  const running = bot.start({ allowed_updates: ['message'] })
  await handled
  void running.catch(() => undefined)
  await bot.stop()
  const requests = await bench.control.requests()
  expect(requests.slice(0, 3).map(({ method }) => method)).toEqual(['getMe', 'deleteWebhook', 'getUpdates'])
  const polls = requests.filter(({ method }) => method === 'getUpdates').map(({ body }) => JSON.parse(body) as unknown) // grammy's own body
  expect(polls[0]).toMatchObject({ offset: 1, allowed_updates: ['message'] })
  expect(polls.at(-1)).toMatchObject({ offset: 700_000_002, limit: 1 })
  expect((await bench.control.updates()).confirmed).toHaveLength(1)
})
