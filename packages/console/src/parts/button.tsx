import { Link, type LinkProps } from '@tanstack/react-router'
import { type ComponentProps, type ReactNode, useEffect, useState } from 'react'
import { useTexts } from '../language/language.ts'
import style from './button.module.css'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'

interface Look {
  /** Default `secondary`. At most one `primary` per group. */
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'quiet'
  readonly small?: boolean
  /** Square, for an icon only; needs an `aria-label`. */
  readonly icon?: boolean
}

/** Returns the class of a button. */
export const buttonClass = ({ kind = 'secondary', small = false, icon = false }: Look): string =>
  classNames(style['button'], kind !== 'secondary' && style[kind], small && style['small'], icon && style['icon'])

interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'className'> {
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean
}

/** A button; not `type="submit"` by default. */
export function Button({
  kind,
  small,
  icon,
  busy = false,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  const look = buttonClass({ ...(kind && { kind }), ...(small && { small }), ...(icon && { icon }) })
  return (
    <button
      {...rest}
      type={busy ? 'button' : type}
      className={look}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : onClick}
    >
      {busy && <span className={style['spinner']} aria-hidden="true" />}
      {children}
    </button>
  )
}

/** A link to a page that looks like a button. */
export function ButtonLink({
  kind,
  small,
  ...rest
}: Look & Omit<LinkProps, 'className'> & { readonly 'aria-label'?: string }): ReactNode {
  return <Link {...rest} className={buttonClass({ ...(kind && { kind }), ...(small && { small }) })} />
}

/** Joins class names, skipping empty ones. */
export const classNames = (...names: readonly (string | false | undefined | null)[]): string =>
  names.filter(Boolean).join(' ')

const SHOWN_MS = 2_000

/** A button that copies a text. `describe` distinguishes several on a page. */
export function CopyButton({
  text,
  label,
  describe,
}: {
  readonly text: string
  readonly label?: string
  readonly describe?: string
}): ReactNode {
  const texts = useTexts(partTexts)
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <Button small onClick={() => void copyText(text).then(setCopied)}>
      <Icon name={copied ? 'check' : 'copy'} size={16} />
      <span aria-live="polite">
        {copied ? texts.copied : (label ?? texts.copy)}
        {!copied && describe !== undefined && <span className="visually-hidden"> ({describe})</span>}
      </span>
    </Button>
  )
}

/** Copies a text, with a fallback for pages without TLS, which have no clipboard API. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    // oxlint-disable-next-line typescript/no-deprecated -- the only way without TLS
    const copied = document.execCommand('copy')
    area.remove()
    return copied
  }
}
