import { control } from './control.js'
import { avatar, readBase64, make } from './parts.js'
import { drawSetup } from './setup.js'
import { platformName, switchText, texts, translatePage } from './texts.js'
import { drawTranscript, resetTranscript } from './transcript.js'

const GROUP = { id: 'harbour', title: texts.group }
const PEOPLE = [
  { id: 'ann', name: 'Ann' },
  { id: 'milo', name: 'Milo' },
  { id: 'yuki', name: 'Yuki' },
]
const REFRESH_MS = 500
/** Number of messages shown. */
const LINES = 200
/** Lasting faults that also close open connections. */
const CUTS = new Set(['drop_before', 'drop_after', 'bad_gateway'])
/** Maximum size of a file, in bytes. */
const FILE_LIMIT = 20 * 1024 * 1024

translatePage()

const byId = (id) => document.getElementById(id)
const user = new URLSearchParams(location.search).get('user')
if (user && !PEOPLE.some(({ id }) => id === user)) PEOPLE.push({ id: user, name: user })

const state = { bot: { name: 'Bot' }, person: PEOPLE.find(({ id }) => id === user) ?? PEOPLE[0], inGroup: false }
/** Properties of the platform. */
let info = { groups: false, acts: [] }
/** Files that this page sent, by message. */
const ownFiles = new Map()
let about = null
let lastRequest = 0
let switches = []

/** Returns the id of the chat as this page names it. The emulator's own id is known after the first message. */
const chatId = () => (state.inGroup ? GROUP.id : state.person.id)
const ownIds = new Map()

function drawPeople() {
  const entries = PEOPLE.map((person) => ({ person, inGroup: false, name: person.name, note: texts.directChat }))
  for (const person of info.groups ? PEOPLE.slice(0, 2) : []) {
    entries.push({ person, inGroup: true, name: GROUP.title, note: texts.groupAs(person.name) })
  }
  byId('people').replaceChildren(
    ...entries.map(({ person, inGroup, name, note }) => {
      const words = make('span', 'words', make('strong', '', name), make('small', '', note))
      const button = make('button', 'person', avatar(name, inGroup ? 0 : PEOPLE.indexOf(person) + 1), words)
      button.type = 'button'
      if (person === state.person && inGroup === state.inGroup) button.setAttribute('aria-current', 'true')
      button.addEventListener('click', () => choose(person, inGroup))
      return button
    }),
  )
}

function choose(person, inGroup) {
  cancelReply()
  Object.assign(state, { person, inGroup })
  resetTranscript()
  drawPeople()
  drawMention()
  void refresh()
  byId('text').focus()
}

function drawMention() {
  byId('mention').hidden = !state.inGroup
  byId('mention').textContent = `@${state.bot.name}`
  byId('mention').title = texts.mentionHint
}

async function refresh() {
  const chat = chatId()
  const [bot, lines, typing, faults, events, requests] = await Promise.all([
    control('bot'),
    control('conversation', { chatId: chat, limit: LINES }),
    control('typing'),
    control('faults'),
    control('events'),
    control('requests', { afterSequence: lastRequest }),
  ])
  const details = await loadDetails(lines)
  if (chat !== chatId()) return
  state.bot = bot
  drawFacts(bot, events, typing)
  drawMention()
  drawSwitches(faults)
  const parts = { box: byId('setup'), words: byId('setup-words'), acts: byId('setup-acts') }
  drawSetup(parts, bot.setup ?? null, info.acts, state.person.name, (act) => attempt(() => scan(act)))
  drawTranscript(byId('messages'), lines, {
    me: state.person.name,
    inGroup: state.inGroup,
    details,
    ownFiles,
    reply: beginReply,
  })
  drawRequests(requests)
}

let known = { words: '', details: new Map() }

/** Resolves to details of messages by id. They include files, so they are only loaded when the chat changed. */
async function loadDetails(lines) {
  const words = JSON.stringify([chatId(), lines])
  if (words === known.words) return known.details
  const detailed = await control('conversation', { chatId: chatId(), limit: LINES, details: true })
  known = { words, details: new Map(detailed.map((line) => [line.messageId, line])) }
  return known.details
}

function drawFacts(bot, events, typing) {
  byId('connected').textContent = bot.connected ? texts.yes : texts.no
  byId('connected').dataset.on = String(bot.connected)
  const unconfirmed = events.filter(({ confirmedAtMs }) => confirmedAtMs === null).length
  byId('unconfirmed').textContent = String(unconfirmed)
  const isTyping = typing.some((sign) => sign.chatId === (ownIds.get(chatId()) ?? chatId()))
  const title = state.inGroup ? GROUP.title : bot.name
  byId('title').textContent = title
  byId('avatar').textContent = title.slice(0, 1)
  byId('status').dataset.typing = String(isTyping)
  const words = isTyping ? texts.typing : bot.connected ? texts.connected : texts.notConnected
  byId('status').textContent = state.inGroup && !isTyping ? texts.withBot(bot.name, words) : words
}

/** Whether an active fault comes from a switch. Defaults: once, in any call. */
function matchesFault(spec, wanted) {
  const all = { times: 1, method: '*', ...spec }
  return Object.entries({ times: 1, method: '*', ...wanted }).every(
    ([key, value]) => JSON.stringify(all[key]) === JSON.stringify(value),
  )
}

let drawnSwitches = ''

function drawSwitches(faults) {
  const now = JSON.stringify(faults)
  if (now === drawnSwitches) return // keep a button that is being pressed
  drawnSwitches = now
  const rows = switches.map((one) => {
    const { fault, lasting } = one
    const { label, hint } = switchText(one)
    const whole = lasting ? { times: null, ...fault } : fault
    const active = faults.find(({ spec }) => matchesFault(spec, whole))
    const button = make('button', 'switch', make('span', '', label), make('small', '', hint))
    button.type = 'button'
    button.setAttribute('aria-pressed', String(active !== undefined))
    button.addEventListener('click', () =>
      attempt(async () => {
        if (active) return control('clearFaults', { id: active.id })
        await control('injectFault', whole)
        if (lasting && CUTS.has(fault.kind)) await control('dropConnections')
      }),
    )
    return button
  })
  const focused = [...byId('switches').children].indexOf(document.activeElement)
  byId('switches').replaceChildren(...rows)
  rows[focused]?.focus()
}

function drawRequests(requests) {
  for (const { sequence, atMs, method, status } of requests) {
    if (sequence <= lastRequest) continue // drawn by another refresh
    lastRequest = sequence
    const time = new Date(atMs).toLocaleTimeString([], { hour12: false })
    const result = status === 0 ? '' : status < 300 ? '' : ` ${status}`
    const item = make('li', '', make('time', '', time), make('code', '', `${method}${result}`))
    item.dataset.failed = String(status >= 300)
    byId('log').prepend(item)
  }
  while (byId('log').children.length > 40) byId('log').lastChild.remove()
}

function beginReply(id, text) {
  about = { id }
  byId('about').hidden = false
  byId('about-text').textContent = text.slice(0, 100)
  byId('text').focus()
}

function cancelReply() {
  about = null
  byId('about').hidden = true
}

const scan = (act) => control('scan', act === 'confirm' ? { act, userId: state.person.id } : { act })

async function attempt(act) {
  try {
    await act()
    byId('problem').hidden = true
    await refresh()
  } catch (error) {
    byId('problem').textContent = error.message
    byId('problem').hidden = false
  }
}

async function send() {
  const box = byId('text')
  const chosen = byId('file').files[0]
  const text = box.value.trim()
  if (!chosen && text === '') return
  if (chosen && chosen.size > FILE_LIMIT) throw new Error(texts.tooLarge)
  const base64 = chosen && (await readBase64(chosen))
  const kind = chosen && /^image\/(?:png|jpeg|gif|webp)$/.test(chosen.type) ? 'image' : 'file'
  const sent = await control('say', {
    from: state.person,
    ...(state.inGroup && { group: GROUP, mention: byId('mention').getAttribute('aria-pressed') === 'true' }),
    ...(about && { replyTo: about.id }),
    ...(text !== '' && { text }),
    ...(chosen && { file: { kind, base64, name: chosen.name, mimeType: chosen.type } }),
  })
  ownIds.set(chatId(), sent.chatId)
  if (chosen) ownFiles.set(sent.messageId, [{ name: chosen.name, size: chosen.size, base64 }])
  box.value = ''
  byId('file').value = ''
  cancelReply()
  showAttachment()
}

function showAttachment() {
  const file = byId('file').files[0]
  byId('text').placeholder = file ? texts.captionFor(file.name) : texts.message
  byId('composer').dataset.attached = String(Boolean(file))
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(send)
})
byId('text').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return cancelReply()
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
byId('file').addEventListener('change', showAttachment)
byId('about-stop').addEventListener('click', cancelReply)
byId('mention').addEventListener('click', ({ currentTarget }) => {
  const isOn = currentTarget.getAttribute('aria-pressed') === 'true'
  currentTarget.setAttribute('aria-pressed', String(!isOn))
})

info = await (await fetch('/demo/page.json')).json()
document.documentElement.dataset.platform = info.platform
document.title = texts.emulator(platformName(info))
byId('platform').textContent = platformName(info)
byId('confirming').hidden = info.confirms === false
switches = await control('switches')
const [newest] = (await control('requests')).slice(-30)
lastRequest = (newest?.sequence ?? 1) - 1
drawPeople()
byId('text').focus()
for (;;) {
  try {
    if (!document.hidden) await refresh()
  } catch {
    byId('status').textContent = texts.emulatorLost
  }
  await new Promise((resolve) => setTimeout(resolve, REFRESH_MS))
}
