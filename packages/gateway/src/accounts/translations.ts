/** Translations of the gateway's pages, emails and OAuth scopes, by language. Account pages have their own catalogs. */
export const TRANSLATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  de: {
    Invitation: 'Einladung',
    'You already have an account': 'Sie haben bereits ein Konto',
    'This link creates a new account. To use it, sign out and open it again.':
      'Mit diesem Link wird ein neues Konto erstellt. Melden Sie sich dafür ab und öffnen Sie ihn dann noch einmal.',
    'This invitation is no longer valid': 'Diese Einladung ist nicht mehr gültig',
    'The link was already used or has expired. Ask for a new one.':
      'Der Link wurde bereits verwendet oder ist abgelaufen. Bitten Sie um einen neuen.',
    'This invitation is no longer valid.': 'Diese Einladung ist nicht mehr gültig.',
    "You're invited to {site}": 'Einladung zu {site}',
    "You've been invited to create an account on {site}. Open this link to choose a password:":
      'Sie wurden eingeladen, ein Konto bei {site} zu erstellen. Öffnen Sie diesen Link, um ein Passwort zu wählen:',
    "The link works once and expires in seven days. If you weren't expecting this invitation, you can safely ignore this email.":
      'Der Link kann einmal verwendet werden und läuft in sieben Tagen ab. Wenn Sie diese Einladung nicht erwartet haben, können Sie diese E-Mail ignorieren.',
    "Admins must use two-factor authentication. You won't have admin permissions until you set it up.":
      'Für Administratoren ist die Zwei-Faktor-Authentifizierung erforderlich. Bis Sie sie eingerichtet haben, haben Sie keine Administratorrechte.',
    'Two-factor authentication has been reset': 'Zwei-Faktor-Authentifizierung zurückgesetzt',
    'An administrator of {site} has reset two-factor authentication for your account and signed you out everywhere. Sign in with your password and set it up again:':
      'Ein Administrator von {site} hat die Zwei-Faktor-Authentifizierung Ihres Kontos zurückgesetzt und Sie überall abgemeldet. Melden Sie sich mit Ihrem Passwort an und richten Sie sie neu ein:',
    "If you didn't ask for this, change your password and contact an administrator.":
      'Wenn Sie das nicht angefordert haben, ändern Sie Ihr Passwort und wenden Sie sich an einen Administrator.',
    'Access to your account has changed': 'Der Zugriff auf Ihr Konto hat sich geändert',
    'A personal access token has been created for your account on {site}.':
      'Für Ihr Konto bei {site} wurde ein persönliches Zugriffstoken erstellt.',
    'Your account on {site} now has admin permissions.': 'Ihr Konto bei {site} hat jetzt Administratorrechte.',
    'Your account on {site} no longer has admin permissions.':
      'Ihr Konto bei {site} hat keine Administratorrechte mehr.',
    'An invitation to {site} has been created from your account.':
      'Von Ihrem Konto aus wurde eine Einladung zu {site} erstellt.',
    'An OAuth client of {site} has been added or changed from your account.':
      'Von Ihrem Konto aus wurde ein OAuth-Client von {site} hinzugefügt oder geändert.',
    'A social login provider of {site} has been added or changed from your account.':
      'Von Ihrem Konto aus wurde ein Anmeldedienst von {site} hinzugefügt oder geändert.',
    'An administrator has made changes in your account on {site}.':
      'Ein Administrator hat Änderungen in Ihrem Konto bei {site} vorgenommen.',
    Demo: 'Demo',
    'This demo has ended': 'Diese Demo ist beendet',
    'This link belongs to a demo that has ended. Start the demo again and open the new link.':
      'Dieser Link gehört zu einer beendeten Demo. Starten Sie die Demo neu und öffnen Sie den neuen Link.',
    'View your channels and their conversations': 'Ihre Kanäle und deren Unterhaltungen ansehen',
    'Set up, enable, and disable your channels': 'Ihre Kanäle einrichten, aktivieren und deaktivieren',
    'Send messages through your channels': 'Nachrichten über Ihre Kanäle senden',
    'View your account and create access tokens': 'Ihr Konto ansehen und Zugriffstoken erstellen',
    'Use your admin permissions on all accounts': 'Ihre Administratorrechte für alle Konten nutzen',
  },
  es: {
    Invitation: 'Invitación',
    'You already have an account': 'Ya tienes una cuenta',
    'This link creates a new account. To use it, sign out and open it again.':
      'Este enlace crea una cuenta nueva. Para usarlo, cierra sesión y vuelve a abrirlo.',
    'This invitation is no longer valid': 'Esta invitación ya no es válida',
    'The link was already used or has expired. Ask for a new one.':
      'El enlace ya se ha usado o ha caducado. Pide uno nuevo.',
    'This invitation is no longer valid.': 'Esta invitación ya no es válida.',
    "You're invited to {site}": 'Invitación a {site}',
    "You've been invited to create an account on {site}. Open this link to choose a password:":
      'Te han invitado a crear una cuenta en {site}. Abre este enlace para elegir una contraseña:',
    "The link works once and expires in seven days. If you weren't expecting this invitation, you can safely ignore this email.":
      'El enlace se puede usar una sola vez y caduca en siete días. Si no esperabas esta invitación, puedes ignorar este correo.',
    "Admins must use two-factor authentication. You won't have admin permissions until you set it up.":
      'Los administradores deben usar la verificación en dos pasos. Hasta que la configures, no tendrás permisos de administrador.',
    'Two-factor authentication has been reset': 'Se ha restablecido la verificación en dos pasos',
    'An administrator of {site} has reset two-factor authentication for your account and signed you out everywhere. Sign in with your password and set it up again:':
      'Un administrador de {site} ha restablecido la verificación en dos pasos de tu cuenta y ha cerrado todas tus sesiones. Inicia sesión con tu contraseña y vuelve a configurarla:',
    "If you didn't ask for this, change your password and contact an administrator.":
      'Si no lo has solicitado, cambia la contraseña y ponte en contacto con un administrador.',
    'Access to your account has changed': 'Ha cambiado el acceso a tu cuenta',
    'A personal access token has been created for your account on {site}.':
      'Se ha creado un token de acceso personal para tu cuenta de {site}.',
    'Your account on {site} now has admin permissions.': 'Tu cuenta de {site} ahora tiene permisos de administrador.',
    'Your account on {site} no longer has admin permissions.':
      'Tu cuenta de {site} ya no tiene permisos de administrador.',
    'An invitation to {site} has been created from your account.':
      'Se ha creado una invitación a {site} desde tu cuenta.',
    'An OAuth client of {site} has been added or changed from your account.':
      'Se ha añadido o modificado un cliente OAuth de {site} desde tu cuenta.',
    'A social login provider of {site} has been added or changed from your account.':
      'Se ha añadido o modificado un proveedor de inicio de sesión de {site} desde tu cuenta.',
    'An administrator has made changes in your account on {site}.':
      'Un administrador ha hecho cambios en tu cuenta de {site}.',
    Demo: 'Demostración',
    'This demo has ended': 'Esta demostración ha terminado',
    'This link belongs to a demo that has ended. Start the demo again and open the new link.':
      'Este enlace pertenece a una demostración que ha terminado. Vuelve a iniciar la demostración y abre el enlace nuevo.',
    'View your channels and their conversations': 'Ver tus canales y sus conversaciones',
    'Set up, enable, and disable your channels': 'Configurar, activar y desactivar tus canales',
    'Send messages through your channels': 'Enviar mensajes a través de tus canales',
    'View your account and create access tokens': 'Ver tu cuenta y crear tokens de acceso',
    'Use your admin permissions on all accounts': 'Usar tus permisos de administrador en todas las cuentas',
  },
  fr: {
    Invitation: 'Invitation',
    'You already have an account': 'Vous avez déjà un compte',
    'This link creates a new account. To use it, sign out and open it again.':
      'Ce lien crée un nouveau compte. Pour l’utiliser, déconnectez-vous, puis ouvrez-le à nouveau.',
    'This invitation is no longer valid': 'Cette invitation n’est plus valable',
    'The link was already used or has expired. Ask for a new one.':
      'Le lien a déjà été utilisé ou a expiré. Demandez-en un nouveau.',
    'This invitation is no longer valid.': 'Cette invitation n’est plus valable.',
    "You're invited to {site}": 'Invitation à rejoindre {site}',
    "You've been invited to create an account on {site}. Open this link to choose a password:":
      'Vous êtes invité à créer un compte sur {site}. Ouvrez ce lien pour choisir un mot de passe :',
    "The link works once and expires in seven days. If you weren't expecting this invitation, you can safely ignore this email.":
      'Ce lien est à usage unique et expire dans sept jours. Si vous n’attendiez pas cette invitation, vous pouvez ignorer cet e-mail.',
    "Admins must use two-factor authentication. You won't have admin permissions until you set it up.":
      'Les administrateurs doivent utiliser la validation en deux étapes. Tant que vous ne l’avez pas configurée, vous n’avez pas les droits d’administrateur.',
    'Two-factor authentication has been reset': 'La validation en deux étapes a été réinitialisée',
    'An administrator of {site} has reset two-factor authentication for your account and signed you out everywhere. Sign in with your password and set it up again:':
      'Un administrateur de {site} a réinitialisé la validation en deux étapes de votre compte et vous a déconnecté partout. Connectez-vous avec votre mot de passe et configurez-la à nouveau :',
    "If you didn't ask for this, change your password and contact an administrator.":
      'Si vous n’êtes pas à l’origine de cette demande, modifiez votre mot de passe et contactez un administrateur.',
    'Access to your account has changed': 'L’accès à votre compte a changé',
    'A personal access token has been created for your account on {site}.':
      'Un jeton d’accès personnel a été créé pour votre compte {site}.',
    'Your account on {site} now has admin permissions.':
      'Votre compte {site} dispose désormais des droits d’administrateur.',
    'Your account on {site} no longer has admin permissions.':
      'Votre compte {site} ne dispose plus des droits d’administrateur.',
    'An invitation to {site} has been created from your account.':
      'Une invitation à rejoindre {site} a été créée depuis votre compte.',
    'An OAuth client of {site} has been added or changed from your account.':
      'Un client OAuth de {site} a été ajouté ou modifié depuis votre compte.',
    'A social login provider of {site} has been added or changed from your account.':
      'Un fournisseur de connexion de {site} a été ajouté ou modifié depuis votre compte.',
    'An administrator has made changes in your account on {site}.':
      'Un administrateur a effectué des modifications dans votre compte {site}.',
    Demo: 'Démo',
    'This demo has ended': 'Cette démo est terminée',
    'This link belongs to a demo that has ended. Start the demo again and open the new link.':
      'Ce lien correspond à une démo terminée. Relancez la démo et ouvrez le nouveau lien.',
    'View your channels and their conversations': 'Voir vos canaux et leurs conversations',
    'Set up, enable, and disable your channels': 'Configurer, activer et désactiver vos canaux',
    'Send messages through your channels': 'Envoyer des messages sur vos canaux',
    'View your account and create access tokens': 'Voir votre compte et créer des jetons d’accès',
    'Use your admin permissions on all accounts': 'Utiliser vos droits d’administrateur sur tous les comptes',
  },
  'zh-hans': {
    Invitation: '邀请',
    'You already have an account': '您已有账号',
    'This link creates a new account. To use it, sign out and open it again.':
      '此链接用于创建新账号。如需使用，请先退出登录，再重新打开此链接。',
    'This invitation is no longer valid': '此邀请已失效',
    'The link was already used or has expired. Ask for a new one.': '该链接已被使用或已过期，请联系邀请人重新获取。',
    'This invitation is no longer valid.': '此邀请已失效。',
    "You're invited to {site}": '邀请您加入 {site}',
    "You've been invited to create an account on {site}. Open this link to choose a password:":
      '邀请您在 {site} 创建账号。请打开此链接设置密码：',
    "The link works once and expires in seven days. If you weren't expecting this invitation, you can safely ignore this email.":
      '该链接仅可使用一次，七天内有效。如果您没有预期收到此邀请，请忽略此邮件。',
    "Admins must use two-factor authentication. You won't have admin permissions until you set it up.":
      '管理员必须使用两步验证。设置之前，您没有管理员权限。',
    'Two-factor authentication has been reset': '您的两步验证已重置',
    'An administrator of {site} has reset two-factor authentication for your account and signed you out everywhere. Sign in with your password and set it up again:':
      '{site} 的管理员已重置您账号的两步验证，并已让您在所有设备上退出登录。请使用密码登录并重新设置：',
    "If you didn't ask for this, change your password and contact an administrator.":
      '如果这不是您要求的，请更改密码并联系管理员。',
    'Access to your account has changed': '您账号的访问权限已变更',
    'A personal access token has been created for your account on {site}.':
      '您在 {site} 的账号已创建新的个人访问令牌。',
    'Your account on {site} now has admin permissions.': '您在 {site} 的账号已获得管理员权限。',
    'Your account on {site} no longer has admin permissions.': '您在 {site} 的账号不再拥有管理员权限。',
    'An invitation to {site} has been created from your account.': '您的账号已创建 {site} 的邀请。',
    'An OAuth client of {site} has been added or changed from your account.':
      '您的账号已添加或修改 {site} 的 OAuth 客户端。',
    'A social login provider of {site} has been added or changed from your account.':
      '您的账号已添加或修改 {site} 的第三方登录方式。',
    'An administrator has made changes in your account on {site}.': '管理员已在您的 {site} 账号中进行更改。',
    Demo: '演示',
    'This demo has ended': '此演示已结束',
    'This link belongs to a demo that has ended. Start the demo again and open the new link.':
      '此链接属于已结束的演示。请重新启动演示并打开新的链接。',
    'View your channels and their conversations': '查看您的渠道和会话',
    'Set up, enable, and disable your channels': '设置、启用和停用您的渠道',
    'Send messages through your channels': '通过您的渠道发送消息',
    'View your account and create access tokens': '查看您的账号并创建访问令牌',
    'Use your admin permissions on all accounts': '使用您的管理员权限管理所有账号',
  },
}
