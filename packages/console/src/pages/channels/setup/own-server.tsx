import { type ReactNode, useState } from 'react'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Select, TextField } from '../../../parts/field.tsx'
import type { Platform } from '../../../parts/platform.tsx'

const LARK = 'https://open.larksuite.com'

interface ServerProps {
  readonly platform: Platform
  /** Called with the fields to save with the credentials. */
  onChange(fields: Readonly<Record<string, string>>): void
}

/** Selects the server, for platforms with more than one. */
export function ServerChoice({ platform, onChange }: ServerProps): ReactNode {
  if (platform === 'telegram') return <BotApiServer onChange={onChange} />
  if (platform === 'feishu') return <FeishuOrLark onChange={onChange} />
  return null
}

function BotApiServer({ onChange }: Pick<ServerProps, 'onChange'>): ReactNode {
  const texts = useTexts(setupTexts)
  const [url, setUrl] = useState('')
  const isBad = url.trim() !== '' && !/^https?:\/\/./.test(url.trim()) && url.trim().length > 7
  const change = (value: string): void => {
    setUrl(value)
    onChange(value.trim() === '' ? {} : { base_url: value.trim() })
  }
  return (
    <details className={style['details']}>
      <summary>{texts.ownServer}</summary>
      <TextField
        label={texts.baseUrl}
        hint={texts.baseUrlHint}
        value={url}
        onChange={change}
        error={isBad ? texts.baseUrlWrong : null}
        type="url"
        mono
      />
    </details>
  )
}

function FeishuOrLark({ onChange }: Pick<ServerProps, 'onChange'>): ReactNode {
  const texts = useTexts(setupTexts)
  const [home, setHome] = useState<'feishu' | 'lark'>('feishu')
  return (
    <Select
      label={texts.home}
      value={home}
      options={[
        ['feishu', texts.homes.feishu],
        ['lark', texts.homes.lark],
      ]}
      onChange={(next) => {
        setHome(next)
        onChange(next === 'lark' ? { domain: LARK } : {})
      }}
    />
  )
}
