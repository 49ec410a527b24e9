import { type ReactNode, useState } from 'react'
import style from './channel.module.css'
import { displayName, matchesPerson, type Person } from './known-people.ts'
import { peopleTexts } from './people-texts.ts'
import { useTexts } from '../../language/texts.ts'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'

interface AddPersonProps {
  readonly users: readonly Person[]
  readonly chosen: readonly string[]
  onAdd(id: string): void
}

const OFFERED = 6
/** Longest ID that the service accepts. */
const MOST = 200

/** Adds a known person by name, or anyone else by platform ID. */
export function AddPerson({ users, chosen, onAdd }: AddPersonProps): ReactNode {
  const texts = useTexts(peopleTexts)
  const [text, setText] = useState('')
  const typed = text.trim()
  const others = users.filter((user) => !chosen.includes(user.user_id))
  const offered = others.filter((user) => matchesPerson(user, text)).slice(0, OFFERED)
  const isKnown = users.some(({ user_id: id }) => id === typed)
  const canType = typed !== '' && typed.length <= MOST && !/\s/.test(typed) && !isKnown && !chosen.includes(typed)
  const add = (id: string): void => {
    onAdd(id)
    setText('')
  }
  return (
    <form
      className={style['add']}
      onSubmit={(event) => {
        event.preventDefault()
        if (offered.length === 1 && offered[0] !== undefined && !canType) add(offered[0].user_id)
        else if (canType) add(typed)
        else if (isKnown && !chosen.includes(typed)) add(typed)
      }}
    >
      <TextField label={texts.add} hint={texts.addHint} value={text} onChange={setText} />
      {(offered.length > 0 || canType) && (
        <ul className={style['offers']}>
          {offered.map((user) => (
            <li key={user.user_id}>
              <button type="button" onClick={() => add(user.user_id)}>
                <Icon name="plus" size={14} />
                <span>
                  {displayName(user)} <code>{user.user_id}</code>
                </span>
              </button>
            </li>
          ))}
          {canType && (
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
