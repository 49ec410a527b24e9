import { type ReactNode, useId, useState } from 'react'
import { useCall, useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Select, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card, Row } from '../../parts/layout.tsx'
import type { Platform } from '../../parts/platform.tsx'
import { Failure, Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import style from './channel.module.css'
import { type AllowedUserList, displayName, matchesPerson, type Person, toAllowedList } from './people.ts'
import { peopleTexts } from './texts.ts'
import type { Channel } from './status.ts'

/** The card of the allowed people and the group policy. */
export function AllowedUsers({ channel }: { readonly channel: Channel }): ReactNode {
  const { platform, allowed_users: listed } = channel
  const texts = useTexts(peopleTexts)
  const people = useCall('listUsers', { params: { platform } })
  return (
    <Card title={texts.title}>
      <Loaded query={people}>
        {({ users }) => <AllowedUsersForm platform={platform} stored={toAllowedList(listed, users)} users={users} />}
      </Loaded>
      <section className={style['groups']}>
        <h3>{texts.groups}</h3>
        <p className="soft">{texts.group[platform]}</p>
        {platform !== 'weixin' && <GroupPolicy channel={channel} />}
      </section>
    </Card>
  )
}

const POLICIES = ['allowed', 'everybody', 'nobody'] as const

/** Selects the group policy, showing the new value before it is saved. */
function GroupPolicy({ channel: { platform, group_policy: stored } }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(peopleTexts)
  const save = useChange('saveChannel', 'getChannel')
  const [chosen, setChosen] = useState<typeof stored | null>(null)
  const change = (policy: typeof stored): void => {
    setChosen(policy)
    save.mutate(
      { params: { platform }, body: { group_policy: policy } },
      { onSuccess: () => notify(texts.saved), onSettled: () => setChosen(null) },
    )
  }
  return (
    <>
      <Select
        label={texts.groupPolicy}
        value={chosen ?? stored}
        options={POLICIES.map((policy) => [policy, texts.policies[policy]])}
        onChange={change}
      />
      {save.error !== null && <Failure error={save.error} />}
    </>
  )
}

interface FormProps {
  readonly platform: Platform
  readonly stored: AllowedUserList
  readonly users: readonly Person[]
}

function AllowedUsersForm({ platform, stored, users }: FormProps): ReactNode {
  const texts = useTexts(peopleTexts)
  /** `null`: unchanged. */
  const [draft, setDraft] = useState<readonly string[] | 'everybody' | null>(null)
  const save = useChange('saveChannel', 'getChannel', 'listChannels', 'listUsers')
  const [isTried, setTried] = useState(false)
  const shown = draft ?? (stored.ids.length === 0 ? 'everybody' : stored.ids)
  const isEmpty = shown !== 'everybody' && shown.length === 0
  const submit = (): void => {
    setTried(true)
    if (isEmpty) return
    const body = { allowed_users: shown === 'everybody' ? [] : shown }
    const done = (): void => {
      setDraft(null)
      setTried(false)
      notify(texts.saved)
    }
    save.mutate({ params: { platform }, body }, { onSuccess: done })
  }
  return (
    <div className={style['answered']}>
      <p className="soft">{texts.lead}</p>
      <EveryoneOrList isEveryone={shown === 'everybody'} onChange={(all) => setDraft(all ? 'everybody' : stored.ids)} />
      {shown !== 'everybody' && <AllowedList ids={shown} users={users} isKnown={stored.isKnown} onChange={setDraft} />}
      {isEmpty && isTried && (
        <Notice tone="bad" alert>
          {texts.noneAllowed}
        </Notice>
      )}
      {save.error !== null && <Failure error={save.error} />}
      {draft !== null && (
        <Row>
          <Button kind="primary" busy={save.isPending} onClick={submit}>
            {texts.save}
          </Button>
          <Button kind="quiet" onClick={() => setDraft(null)}>
            {texts.revert}
          </Button>
        </Row>
      )}
    </div>
  )
}

function EveryoneOrList({
  isEveryone,
  onChange,
}: {
  readonly isEveryone: boolean
  onChange(isEveryone: boolean): void
}): ReactNode {
  const texts = useTexts(peopleTexts)
  const group = useId()
  return (
    <div role="radiogroup" aria-label={texts.title} className={style['radios']}>
      <label>
        <input type="radio" name={group} checked={isEveryone} onChange={() => onChange(true)} />
        {texts.everybody}
      </label>
      <label>
        <input type="radio" name={group} checked={!isEveryone} onChange={() => onChange(false)} />
        {texts.some}
      </label>
    </div>
  )
}

interface AllowedListProps {
  readonly ids: readonly string[]
  readonly users: readonly Person[]
  readonly isKnown: boolean
  onChange(ids: readonly string[]): void
}

function AllowedList({ ids, users, isKnown, onChange }: AllowedListProps): ReactNode {
  const texts = useTexts(peopleTexts)
  const personName = (id: string): string => {
    const user = users.find(({ user_id: one }) => one === id)
    return user === undefined ? id : displayName(user)
  }
  return (
    <>
      {!isKnown && <p className="soft">{texts.unlisted}</p>}
      <ul className={style['chips']} aria-label={texts.chosen}>
        {ids.map((id) => (
          <li key={id}>
            <span>
              {personName(id)} {personName(id) !== id && <code>{id}</code>}
            </span>
            <Button
              kind="quiet"
              small
              icon
              aria-label={texts.remove(personName(id))}
              onClick={() => onChange(ids.filter((one) => one !== id))}
            >
              <Icon name="close" size={14} />
            </Button>
          </li>
        ))}
      </ul>
      <AddPerson users={users} chosen={ids} onAdd={(id) => onChange([...ids, id])} />
    </>
  )
}

interface AddPersonProps {
  readonly users: readonly Person[]
  readonly chosen: readonly string[]
  onAdd(id: string): void
}

const MAX_SUGGESTIONS = 6
/** Longest ID that the service accepts. */
const MAX_ID_LENGTH = 200

/** Adds a known person by name, or anyone else by platform ID. */
function AddPerson({ users, chosen, onAdd }: AddPersonProps): ReactNode {
  const texts = useTexts(peopleTexts)
  const [text, setText] = useState('')
  const typed = text.trim()
  const others = users.filter((user) => !chosen.includes(user.user_id))
  const suggestions = others.filter((user) => matchesPerson(user, text)).slice(0, MAX_SUGGESTIONS)
  const isKnown = users.some(({ user_id: id }) => id === typed)
  const canAddId =
    typed !== '' && typed.length <= MAX_ID_LENGTH && !/\s/.test(typed) && !isKnown && !chosen.includes(typed)
  const add = (id: string): void => {
    onAdd(id)
    setText('')
  }
  return (
    <form
      className={style['add']}
      onSubmit={(event) => {
        event.preventDefault()
        if (suggestions.length === 1 && suggestions[0] !== undefined && !canAddId) add(suggestions[0].user_id)
        else if (canAddId) add(typed)
        else if (isKnown && !chosen.includes(typed)) add(typed)
      }}
    >
      <TextField label={texts.add} hint={texts.addHint} value={text} onChange={setText} />
      {(suggestions.length > 0 || canAddId) && (
        <ul className={style['offers']}>
          {suggestions.map((user) => (
            <li key={user.user_id}>
              <button type="button" onClick={() => add(user.user_id)}>
                <Icon name="plus" size={14} />
                <span>
                  {displayName(user)} <code>{user.user_id}</code>
                </span>
              </button>
            </li>
          ))}
          {canAddId && (
            <li>
              <button type="button" onClick={() => add(typed)}>
                <Icon name="plus" size={14} />
                <span>{texts.addId(typed)}</span>
              </button>
            </li>
          )}
        </ul>
      )}
    </form>
  )
}
