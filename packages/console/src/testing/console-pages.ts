import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** A page of the console, for tests that visit all of them. */
export interface ConsolePage {
  /** Prefix of its pictures' file names. */
  readonly name: string
  /** Path below `console/`. */
  readonly path: string
  /** Text shown once the page has loaded, in English and Chinese. */
  readonly shows: readonly [english: string, chinese: string]
}

/** Returns all pages with data of the full world. @param conversation Path of a conversation. */
export const consolePages = (conversation: string): readonly ConsolePage[] => [
  { name: 'channels', path: 'channels', shows: ['Telegram', 'Telegram'] },
  { name: 'channel', path: 'channels/telegram', shows: ['Grace Hopper', 'Grace Hopper'] },
  { name: 'setup', path: 'channels/discord/setup', shows: ['Bot token', 'Token'] },
  { name: 'setup-code', path: 'channels/weixin/setup', shows: ['Weixin', '微信'] },
  { name: 'conversations', path: 'conversations', shows: ['Grace Hopper', 'Grace Hopper'] },
  { name: 'conversation', path: conversation, shows: ['This one is refused.', 'This one is refused.'] },
  { name: 'send', path: 'send', shows: ['Grace Hopper', 'Grace Hopper'] },
  { name: 'failed', path: 'failed', shows: ['This one is refused.', 'This one is refused.'] },
  { name: 'doctor', path: 'doctor', shows: ['Telegram', 'Telegram'] },
  { name: 'analytics', path: 'analytics', shows: ['1,430', '1,430'] },
  { name: 'assistant', path: 'assistant', shows: ['****4711', '****4711'] },
  { name: 'logs', path: 'logs?q=harbour', shows: ['The harbour is slow', 'The harbour is slow'] },
  { name: 'account', path: 'account', shows: ['ada@example.org', 'ada@example.org'] },
  { name: 'people', path: 'staff', shows: ['bo@example.org', 'bo@example.org'] },
  { name: 'social-apps', path: 'staff/social-apps', shows: ['made-up-client', 'made-up-client'] },
  { name: 'clients', path: 'staff/clients', shows: ['Wiki', 'Wiki'] },
  { name: 'audit', path: 'staff/audit', shows: ['createClient', 'createClient'] },
  { name: 'welcome', path: 'welcome', shows: ['ada@example.org', 'ada@example.org'] },
  { name: 'no-demo', path: 'demo', shows: ['Demo', '演示'] },
  { name: 'not-found', path: 'nowhere', shows: ['Page not found', '页面不存在'] },
]

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa']

/** A violation. @see axe-core, "API Reference" */
interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Returns the page's violations of WCAG 2.2 AA that can be checked automatically. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] }).then((result) => result.violations)`,
  )
  return found.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`))
}
