import { Menu as MenuBase } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './button.tsx'
import style from './dialog.module.css'
import { Icon } from './icon.tsx'

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement
  readonly children: ReactNode
}

/** A menu behind a button. */
export const Menu = ({ trigger, children }: MenuProps): ReactNode => (
  <MenuBase.Root modal={false}>
    <MenuBase.Trigger render={trigger} />
    <MenuBase.Portal>
      <MenuBase.Positioner sideOffset={6} align="end" className={style['menuPlace'] ?? ''}>
        <MenuBase.Popup className={style['menu']}>{children}</MenuBase.Popup>
      </MenuBase.Positioner>
    </MenuBase.Portal>
  </MenuBase.Root>
)

/** A menu item. `render` replaces it with a link. */
export const MenuItem = ({
  danger = false,
  onClick,
  render,
  children,
}: {
  readonly danger?: boolean
  readonly onClick?: () => void
  readonly render?: ReactElement
  readonly children: ReactNode
}): ReactNode => (
  <MenuBase.Item
    className={classNames(style['menuItem'], danger && style['menuDanger'])}
    {...(onClick && { onClick })}
    {...(render && { render })}
  >
    {children}
  </MenuBase.Item>
)

interface MenuChoiceProps<V extends string> {
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [value: V, label: ReactNode])[]
  onChange(value: V): void
}

/** A group of radio items in a menu. */
export const MenuChoice = <V extends string>({ label, value, options, onChange }: MenuChoiceProps<V>): ReactNode => (
  <MenuBase.Group>
    <MenuBase.GroupLabel className={style['menuGroup']}>{label}</MenuBase.GroupLabel>
    <MenuBase.RadioGroup value={value} onValueChange={(next: V) => onChange(next)}>
      {options.map(([option, name]) => (
        <MenuBase.RadioItem key={option} value={option} className={style['menuItem']}>
          {name}
          <MenuBase.RadioItemIndicator className={style['menuChosen']}>
            <Icon name="check" size={16} />
          </MenuBase.RadioItemIndicator>
        </MenuBase.RadioItem>
      ))}
    </MenuBase.RadioGroup>
  </MenuBase.Group>
)
