import { GROUP, PEOPLE } from './cast.js'
import { control, selectBot } from './control.js'
import { drawMessages, resetMessages } from './messages.js'
import { avatar, fullName, make, readBase64 } from './parts.js'
import { switchText, texts, translatePage } from './texts.js'

translatePage()
document.title = texts.emulator('Telegram')

const query = new URLSearchParams(location.search)
const byId = (id) => document.getElementById(id)
const user = Number(query.get('user'))
if (user > 0 && !PEOPLE.some(({ id }) => id === user)) PEOPLE.push({ id: user, first_name: `User ${user}` })

const state = { bot: null, person: PEOPLE.find(({ id }) => id === user) ?? PEOPLE[0], inGroup: false, about: null }
let typingUntil = 0
let blocked = false
let switches = []

const chatId = () => (state.inGroup ? GROUP.id : state.person.id)

function drawPeople() {
  const entries = PEOPLE.map((person) => ({ person, inGroup: false, name: fullName(person), note: texts.directChat }))
  for (const person of PEOPLE.slice(0, 2)) {
    entries.push({ person, inGroup: true, name: GROUP.title, note: texts.groupAs(person.first_name) })
  }
  byId('people').replaceChildren(
    ...entries.map(({ person, inGroup, name, note }) => {
      const words = make('span', 'words', make('strong', '', name), make('small', '', note))
      const button = make('button', 'person', avatar(name, inGroup ? 0 : person.id), words)
      button.type = 'button'
      const isCurrent = person.id === state.person.id && inGroup === state.inGroup
      if (isCurrent) button.setAttribute('aria-current', 'true')
      button.addEventListener('click', () => choose(person, inGroup))
      return button
    }),
  )
}

function choose(person, inGroup) {
  cancelAbout()
  Object.assign(state, { person, inGroup })
  typingUntil = 0
  resetMessages()
  drawPeople()
  void refreshSoon()
  byId('text').focus()
}

async function refresh() {
  const at = chatId()
  const [conversation, updates, faults] = await Promise.all([
    control('conversation', { chatId: at }),
    control('updates'),
    control('faults'),
  ])
  if (at !== chatId()) return
  blocked = conversation.obstacle === 'blocked'
  byId('pending').textContent = String(updates.pending.length)
  byId('title').textContent = state.inGroup ? GROUP.title : state.bot.name
  byId('avatar').textContent = (state.inGroup ? GROUP.title : state.bot.name).slice(0, 1)
  drawSwitches(faults)
  drawMessages(byId('messages'), conversation, {
    me: state.person.id,
    inGroup: state.inGroup,
    reply: (id, text) => begin({ kind: 'reply', id, text }),
    edit: (id, text) => begin({ kind: 'edit', id, text }),
  })
  drawStatus()
}

function drawStatus() {
  const isTyping = Date.now() < typingUntil
  const listening = state.bot?.polling ?? false
  byId('polling').textContent = listening ? texts.yes : texts.no
  byId('polling').dataset.on = String(listening)
  const status = byId('status')
  status.dataset.typing = String(isTyping && !blocked)
  status.textContent = blocked
    ? texts.blocked
    : isTyping
      ? texts.typing
      : state.inGroup
        ? texts.withBotMention(state.bot.name, state.bot.username)
        : `@${state.bot.username}`
}

function drawSwitches(faults) {
  const row = (label, hint, isOn, act) => {
    const button = make('button', 'switch', make('span', '', label), make('small', '', hint))
    button.type = 'button'
    button.setAttribute('aria-pressed', String(isOn))
    button.addEventListener('click', () => attempt(act))
    return button
  }
  const rows = switches.map((one) => {
    const { label, hint } = switchText(one)
    const spec = one.lasting ? { times: null, ...one.fault } : one.fault
    const active = faults.find(
      (fault) => fault.spec.kind === spec.kind && (fault.spec.times === null) === (spec.times === null),
    )
    return row(label, hint, active !== undefined, async () => {
      if (active) return control('clearFaults', { id: active.id })
      await control('injectFault', spec)
      if (one.lasting) await control('dropConnections')
    })
  })
  if (!state.inGroup) {
    rows.push(
      row(texts.blockBot, texts.blockBotHint, blocked, () =>
        control(blocked ? 'unblock' : 'block', { chatId: chatId() }),
      ),
    )
  }
  const focused = [...byId('switches').children].indexOf(document.activeElement)
  byId('switches').replaceChildren(...rows)
  rows[focused]?.focus()
}

/** Makes the next message a reply to this one, or its replacement. */
function begin(about) {
  cancelAbout()
  state.about = about
  byId('about').hidden = false
  byId('about-kind').textContent = about.kind === 'edit' ? texts.edit : texts.reply
  byId('about-text').textContent = about.text.slice(0, 100)
  if (about.kind === 'edit') byId('text').value = about.text
  byId('text').focus()
}

function cancelAbout() {
  if (state.about?.kind === 'edit') byId('text').value = ''
  state.about = null
  byId('about').hidden = true
}

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
  const file = byId('file').files[0]
  const text = box.value.trim()
  if (!file && text === '') return
  if (state.about?.kind === 'edit') {
    if (text !== state.about.text) {
      await control('editUserMessage', { chatId: chatId(), messageId: state.about.id, text })
    }
    return cancelAbout()
  }
  const options = {
    from: state.person,
    ...(state.inGroup && { chat: GROUP }),
    ...(state.about && { replyTo: state.about.id }),
  }
  if (file) {
    const kind = /^image\/(png|jpeg|gif|webp)$/.test(file.type) ? 'photo' : 'document'
    options[kind] = { name: file.name, mimeType: file.type, base64: await readBase64(file) }
    if (text !== '') options.caption = text
  } else options.text = text
  const { updateId } = await control('say', options)
  if (updateId === null) addToLog(blocked ? texts.notDeliveredBlocked : texts.notDeliveredPrivacy)
  box.value = ''
  byId('file').value = ''
  cancelAbout()
  showAttachment()
}

function showAttachment() {
  const file = byId('file').files[0]
  byId('text').placeholder = file ? texts.captionFor(file.name) : texts.message
  byId('composer').dataset.attached = String(Boolean(file))
}

function addToLog(words) {
  const time = new Date().toLocaleTimeString([], { hour12: false })
  byId('log').prepend(make('li', '', make('time', '', time), make('span', '', words)))
  while (byId('log').children.length > 40) byId('log').lastChild.remove()
}

let isRefreshing = false
let isStale = false
/** Refreshes the page. Only one refresh runs at a time; requests meanwhile cause one more. */
async function refreshSoon() {
  isStale = true
  if (isRefreshing) return
  isRefreshing = true
  while (isStale) {
    isStale = false
    await attempt(async () => undefined)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  isRefreshing = false
}

function onEvent(event) {
  if (event.type === 'polling') {
    state.bot.polling = event.waiting
    return drawStatus()
  }
  if (event.type === 'chat_action' && event.chatId === chatId()) {
    typingUntil = Date.now() + 5000
    setTimeout(drawStatus, 5050)
    return drawStatus()
  }
  if (event.type === 'fault_hit') addToLog(texts.failed(event.method, event.kind.replaceAll('_', ' ')))
  if (event.type === 'updates_confirmed') addToLog(texts.confirmedUpdate(event.upTo))
  if (event.type === 'message' && event.chatId === chatId()) typingUntil = 0
  void refreshSoon()
}

byId('composer').addEventListener('submit', (event) => {
  event.preventDefault()
  void attempt(send)
})
byId('text').addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return cancelAbout()
  if (event.key === 'ArrowUp' && event.target.value === '') {
    const own = byId('messages').querySelectorAll(`.mine [aria-label^="${texts.edit}:"]`)
    return [...own].at(-1)?.click()
  }
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  byId('composer').requestSubmit()
})
byId('file').addEventListener('change', showAttachment)
byId('about-stop').addEventListener('click', cancelAbout)

switches = await control('common/switches')
const bots = await control('bots')
state.bot = bots.find(({ id }) => id === Number(query.get('bot'))) ?? bots[0]
selectBot(state.bot.id)
drawPeople()
await attempt(async () => undefined)
const events = new EventSource(`/control/events?bot=${state.bot.id}`)
events.addEventListener('message', ({ data }) => onEvent(JSON.parse(data)))
events.addEventListener('open', () => void refreshSoon())
events.addEventListener('error', () => {
  byId('status').textContent = texts.emulatorLost
})
byId('text').focus()
