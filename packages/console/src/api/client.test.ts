import { afterEach, expect, it, vi } from 'vitest'
import { call, onReauthenticationRequired, readEvents } from './client.ts'

const encoder = new TextEncoder()
const toResponse = (next: () => Uint8Array | null): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = next()
        if (piece === null) controller.close()
        else controller.enqueue(piece)
      },
    }),
  )

it('yields each event once it is complete, however its bytes are split', async () => {
  const wire = encoder.encode(': hello\n\nevent: text\ndata: {"type":"text","text":"早"}\n\ndata: {"type":"done"}\n\n')
  for (const size of [1, 3, 64, wire.length]) {
    const pieces = Array.from({ length: Math.ceil(wire.length / size) }, (_, at) =>
      wire.slice(at * size, (at + 1) * size),
    )
    const events = await Array.fromAsync(
      readEvents(
        'streamAssistant',
        toResponse(() => pieces.shift() ?? null),
      ),
    )
    expect(events).toEqual([{ type: 'text', text: '早' }, { type: 'done' }])
  }
})

it('reports a broken connection after the events before it', async () => {
  const seen: unknown[] = []
  const pieces = [encoder.encode('data: {"type":"text","text":"a"}\n\ndata: {"ty')]
  const broken = toResponse(() => {
    const piece = pieces.shift()
    if (piece === undefined) throw new TypeError('network error')
    return piece
  })
  const read = async (): Promise<void> => {
    for await (const event of readEvents('streamAssistant', broken)) seen.push(event)
  }
  await expect(read()).rejects.toMatchObject({ code: 'no_answer' })
  expect(seen).toEqual([{ type: 'text', text: 'a' }])
})

afterEach(() => vi.unstubAllGlobals())

it('repeats a call once the person has confirmed who they are', async () => {
  vi.stubGlobal('document', { baseURI: 'http://gatepost.test/', documentElement: { lang: 'en' } })
  vi.stubGlobal('location', { search: '' })
  const flows = [{ id: 'reauthenticate' }]
  const required = { ok: false, error: '', code: 'reauthentication_required', flows }
  let isConfirmed = false
  vi.stubGlobal('fetch', async () =>
    isConfirmed ? Response.json({ version: 'x' }) : Response.json(required, { status: 403 }),
  )
  await expect(call('getService', {})).rejects.toMatchObject({ code: 'reauthentication_required', flows })
  const asked: unknown[] = []
  const stop = onReauthenticationRequired(async (given) => {
    asked.push(given)
    isConfirmed = asked.length === 2
    return isConfirmed
  })
  await expect(call('getService', {})).rejects.toMatchObject({ code: 'reauthentication_required' })
  expect(await call('getService', {})).toEqual({ version: 'x' })
  stop()
  expect(asked).toEqual([flows, flows])
})
