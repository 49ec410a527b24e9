import type { DemoEvent, RunningDemo } from '../demo/demo.ts'

const nothing: DemoEvent = { type: 'chat', platform: 'telegram', chat: 'ann', typing: false, ids: [], lines: [] }

/** A demo in memory, with one platform on which nothing happens. */
export const fakeDemo = (): RunningDemo => ({
  platforms: [
    {
      platform: 'telegram',
      label: 'Telegram',
      groups: true,
      confirms: true,
      acts: [],
      page: 'http://127.0.0.1:9/demo',
      switches: [{ id: 'cut', label: 'Cut', hint: 'Nothing gets through.', fault: { kind: 'cut' }, lasting: true }],
    },
  ],
  people: [{ id: 'ann', name: 'Ann' }],
  group: { id: 'harbour', title: 'Harbour office' },
  key: 'made-up-key',
  act: async () => null,
  async *events() {
    yield nothing
  },
})
