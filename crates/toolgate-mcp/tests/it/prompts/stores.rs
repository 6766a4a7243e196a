//! What every store promises: a write is made only if the whole row is as it was seen.

use super::databases::Database;
use super::texts::{ONE, TWO, look, other};
use toolgate_mcp::prompts::{Origin, Row};

pub(crate) async fn every_column_is_compared(database: &Database) {
    let (library, _) = database.start(&[look(1), other()]).await;
    // With every column set, and with those empty that may be.
    library.delete("look", "alice", 1).await.unwrap();
    database.by_hand("UPDATE toolgate_prompts SET saved_by = 'bob' WHERE name = 'look'").await;
    database.by_hand("UPDATE toolgate_prompts SET revision = NULL WHERE name = 'other'").await;
    let store = database.store();
    for name in ["look", "other"] {
        let row = database.row(name).await;
        let changes: [fn(&mut Row); 8] = [
            |row| row.name = "neither".into(),
            |row| row.origin = Origin::User,
            |row| row.text = TWO.into(),
            |row| row.revision = row.revision.map_or(Some(1), |_| None),
            |row| row.digest.clear(),
            |row| row.saved_by = row.saved_by.as_ref().map_or(Some("carol".into()), |_| None),
            |row| row.deleted_by = row.deleted_by.as_ref().map_or(Some("carol".into()), |_| None),
            |row| row.version += 1,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let mut seen = row.clone();
            change(&mut seen);
            let mut new = row.clone();
            new.text = "written".into();
            assert!(!store.write(Some(seen.clone()), Some(new)).await.unwrap(), "column {index} is not compared");
            assert!(!store.write(Some(seen), None).await.unwrap(), "column {index} is not compared");
            assert_eq!(database.row(name).await, row);
        }
        let mut new = row.clone();
        new.text = "written".into();
        assert!(store.write(Some(row), Some(new.clone())).await.unwrap());
        assert_eq!(database.row(name).await, new);
    }
}

pub(crate) async fn no_row_takes_the_name_of_another(database: &Database) {
    database.start(&[look(1), other()]).await;
    let before = database.rows().await;
    let store = database.store();
    let [look, other] = before.as_slice() else { panic!() };
    let mut moved = look.clone();
    moved.name = "other".into();
    assert!(!store.write(Some(look.clone()), Some(moved.clone())).await.unwrap());
    assert!(!store.write(None, Some(moved.clone())).await.unwrap());
    assert_eq!(database.rows().await, before);
    assert!(store.write(Some(other.clone()), None).await.unwrap());
    assert!(store.write(Some(look.clone()), Some(moved.clone())).await.unwrap());
    assert_eq!((database.rows().await, moved.text.as_str()), (vec![moved.clone()], ONE));
}
